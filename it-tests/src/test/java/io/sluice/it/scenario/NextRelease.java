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
 * The plugin of a release to come, whose node service speaks one more version of its protocols: the
 * packages that speak them are compiled again with other numbers.
 */
enum NextRelease {
  /** It speaks this release's versions too. */
  IN_COMMON("VERSION"),
  /** It does not: as if there had been only one, the new one. */
  NOTHING_IN_COMMON("OLDEST", "VERSION");

  private static final String PACKAGE = "io/sluice/node/";
  private static final List<String> PROTOCOLS =
      List.of("socket/SocketProtocol.java", "remote/RemoteProtocol.java");

  private final List<String> raised;

  NextRelease(String... raised) {
    this.raised = List.of(raised);
  }

  /**
   * Makes its jar.
   *
   * @param root of this repository
   * @param plugin this release's jar
   * @param directory for the jar, and for what is compiled
   */
  Path jar(Path root, Path plugin, Path directory) throws IOException {
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

  private void raiseVersion(Path protocol) throws IOException {
    String source = Files.readString(protocol);
    String next = source;
    for (String number : raised) {
      next = next.replaceAll("(int %s = )(\\d+);".formatted(number), "$1 1 + $2;");
    }
    int longer = raised.size() * " 1 + ".length();
    assertEquals(source.length() + longer, next.length(), protocol.toString());
    Files.writeString(protocol, next);
  }

  private static List<Path> filesBelow(Path directory) throws IOException {
    try (Stream<Path> files = Files.walk(directory)) {
      return files.filter(Files::isRegularFile).toList();
    }
  }
}
