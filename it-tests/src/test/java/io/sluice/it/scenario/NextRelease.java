package io.sluice.it.scenario;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.io.IOException;
import java.net.URI;
import java.nio.file.FileSystem;
import java.nio.file.FileSystems;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import javax.tools.ToolProvider;

/**
 * The plugin of a release to come, whose node service speaks other versions of its protocols, and
 * none that this one speaks: the packages that speak them are compiled again with other numbers.
 */
final class NextRelease {
  private static final String PACKAGE = "io/sluice/node/";
  private static final List<String> PROTOCOLS =
      List.of("local/LocalProtocol.java", "remote/RemoteProtocol.java");

  private NextRelease() {}

  /**
   * Makes its jar.
   *
   * @param root of this repository
   * @param plugin this release's jar
   * @param directory for the jar, and for what is compiled
   */
  static Path jar(Path root, Path plugin, Path directory) throws IOException {
    Path sources = Files.createDirectories(directory.resolve("sources"));
    List<String> arguments = new ArrayList<>(List.of("-proc:none", "-nowarn"));
    Path classes = Files.createDirectories(directory.resolve("classes"));
    String classPath = plugin + ":" + System.getProperty("java.class.path");
    arguments.addAll(List.of("-cp", classPath, "-d", classes.toString()));
    Path original = root.resolve("node-service/src/main/java").resolve(PACKAGE);
    for (String protocol : PROTOCOLS) {
      Path copied = Files.createDirectories(sources.resolve(protocol).getParent());
      for (Path source : filesBelow(original.resolve(protocol).getParent())) {
        Path copy = copied.resolve(source.getFileName());
        Files.copy(source, copy, StandardCopyOption.REPLACE_EXISTING);
        arguments.add(copy.toString());
      }
      raiseVersion(sources.resolve(protocol));
    }
    String[] all = arguments.toArray(String[]::new);
    assertEquals(0, ToolProvider.getSystemJavaCompiler().run(null, null, null, all));
    Path jar = directory.resolve("sluice-hadoop-next.jar");
    Files.copy(plugin, jar, StandardCopyOption.REPLACE_EXISTING);
    try (FileSystem entries =
        FileSystems.newFileSystem(URI.create("jar:" + jar.toUri()), Map.of())) {
      for (Path compiled : filesBelow(classes)) {
        Path entry = entries.getPath(classes.relativize(compiled).toString());
        Files.copy(compiled, entry, StandardCopyOption.REPLACE_EXISTING);
      }
    }
    return jar;
  }

  private static void raiseVersion(Path protocol) throws IOException {
    String source = Files.readString(protocol);
    String raised = source.replaceAll("(int (OLDEST|VERSION) = )(\\d+);", "$1 1 + $3;");
    int longer = 2 * " 1 + ".length();
    assertEquals(source.length() + longer, raised.length(), protocol.toString());
    Files.writeString(protocol, raised);
  }

  private static List<Path> filesBelow(Path directory) throws IOException {
    try (Stream<Path> files = Files.walk(directory)) {
      return files.filter(Files::isRegularFile).toList();
    }
  }
}
