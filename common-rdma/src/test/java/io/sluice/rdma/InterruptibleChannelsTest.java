package io.sluice.rdma;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/**
 * The rule of CONTRIBUTING.md: nothing that threads share is a channel that an interrupt closes.
 * Every class that names one stands in {@code interruptible-channels.txt}, with the reason why no
 * interrupt of a task reaches a channel there that others use.
 */
class InterruptibleChannelsTest {
  private static final List<String> MODULES =
      List.of(
          "common-rdma",
          "disni-transport",
          "nvram-spill",
          "node-service",
          "mapreduce",
          "hadoop-shuffle-plugin",
          "spark-35",
          "spark-entry",
          "spark-shuffle-manager",
          "tools");

  /** What is an {@code InterruptibleChannel}, or gives one. */
  private static final Pattern CHANNEL =
      Pattern.compile(
          "\\b(FileChannel|SocketChannel|ServerSocketChannel|DatagramChannel|Pipe"
              + "|AbstractInterruptibleChannel|newByteChannel|getChannel)\\b");

  /** A comment may say what it likes, and the mode of a mapping is no channel. */
  private static final Pattern NOT_MEANT =
      Pattern.compile("(?s)/\\*.*?\\*/|//[^\\n]*|\\bimport [^;]*;|\\bFileChannel\\.MapMode\\b");

  private static Path sources(Path root, String module) {
    return root.resolve(module).resolve("src/main/java");
  }

  private static TreeSet<String> naming(Path root) throws IOException {
    TreeSet<String> found = new TreeSet<>();
    for (String module : MODULES) {
      try (Stream<Path> files = Files.walk(sources(root, module))) {
        files
            .filter(file -> file.toString().endsWith(".java"))
            .forEach(
                file -> typesNamingOne(file).forEach(type -> found.add(named(root, file, type))));
      }
    }
    return found;
  }

  /** The file of a type; a type that has no file of its own follows after a #. */
  private static String named(Path root, Path file, String type) {
    boolean nested = !file.getFileName().toString().equals(type + ".java");
    return root.relativize(file) + (nested ? "#" + type : "");
  }

  private static Set<String> typesNamingOne(Path file) {
    try {
      String source = Files.readString(file);
      return CHANNEL
          .matcher(SourceTypes.blank(source, NOT_MEANT))
          .results()
          .map(name -> SourceTypes.at(source, name.start()))
          .collect(Collectors.toSet());
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** By type, why it may name one. */
  private static Map<String, String> allowed() throws IOException {
    try (InputStream text =
        InterruptibleChannelsTest.class.getResourceAsStream("interruptible-channels.txt")) {
      return new String(text.readAllBytes(), StandardCharsets.UTF_8)
          .lines()
          .filter(line -> !line.isBlank() && !line.startsWith("#"))
          .map(line -> line.split(": ", 2))
          .collect(
              Collectors.toMap(
                  parts -> parts[0],
                  parts -> parts.length > 1 ? parts[1] : "",
                  (one, two) -> one + " " + two,
                  TreeMap::new));
    }
  }

  @Test
  void onlyClassesWithAReasonNameOne() throws IOException {
    assertEquals(new TreeSet<>(allowed().keySet()), naming(SourceTree.root()));
    allowed().forEach((file, why) -> assertFalse(why.isBlank(), file + " has no reason"));
  }

  @Test
  void theCheckSeesChannelsAndNothingElse() throws IOException {
    Path memory = sources(SourceTree.root(), "common-rdma").resolve("io/sluice/rdma/memory");
    assertFalse(typesNamingOne(memory.resolve("SharedFile.java")).isEmpty());
    assertEquals(Set.of(), typesNamingOne(memory.resolve("NativeFile.java")), "its comments do");
  }
}
