package io.sluice.it.foreign;

import io.sluice.it.cluster.ClusterException;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.jar.JarEntry;
import java.util.jar.JarOutputStream;
import java.util.stream.Stream;
import javax.tools.ToolProvider;

/** Compiles a program's {@code src} against the jars it runs on, into one jar. Stateless. */
final class ForeignDriver {
  private ForeignDriver() {}

  /**
   * The jar, which has no entry if there are no sources.
   *
   * @param libraries directories of jars
   * @param work for the classes and the jar; made if it is not there
   */
  static Path compile(Path sources, List<Path> libraries, Path work) {
    try {
      Path classes = Files.createDirectories(work.resolve("classes"));
      List<Path> files = below(sources, ".java");
      if (!files.isEmpty()) {
        List<String> classPath = new ArrayList<>();
        for (Path directory : libraries) {
          below(directory, ".jar").forEach(jar -> classPath.add(jar.toString()));
        }
        List<String> arguments =
            new ArrayList<>(
                List.of(
                    "-nowarn",
                    "-XDsuppressNotes",
                    "-proc:none",
                    "-cp",
                    String.join(":", classPath)));
        arguments.addAll(List.of("-d", classes.toString()));
        files.forEach(file -> arguments.add(file.toString()));
        int status =
            ToolProvider.getSystemJavaCompiler()
                .run(null, null, null, arguments.toArray(String[]::new));
        if (status != 0) {
          throw new ClusterException("cannot compile " + sources);
        }
      }
      Path jar = work.resolve("driver.jar");
      try (JarOutputStream out = new JarOutputStream(Files.newOutputStream(jar))) {
        for (Path file : below(classes, ".class")) {
          out.putNextEntry(new JarEntry(classes.relativize(file).toString()));
          Files.copy(file, out);
        }
      }
      return jar;
    } catch (IOException e) {
      throw new UncheckedIOException("cannot make the jar of " + sources, e);
    }
  }

  private static List<Path> below(Path directory, String suffix) throws IOException {
    if (!Files.isDirectory(directory)) {
      return List.of();
    }
    try (Stream<Path> files = Files.walk(directory)) {
      return files.filter(file -> file.toString().endsWith(suffix)).sorted().toList();
    }
  }
}
