package io.sluice.tools;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Stream;

/**
 * The product's sources, for pages that quote the messages in them.
 *
 * <p>Thread contract: immutable. Failure: {@link IOException} from reading the files.
 */
public final class MainSources {
  /** Stands for a part of a message that differs. */
  public static final String ANYTHING = "…";

  private final List<String> sources;

  private MainSources(List<String> sources) {
    this.sources = sources;
  }

  /** Reads the main sources of all modules below {@code root}. */
  public static MainSources read(Path root) throws IOException {
    List<Path> modules;
    try (Stream<Path> children = Files.list(root)) {
      modules =
          children.map(child -> child.resolve("src/main/java")).filter(Files::isDirectory).toList();
    }
    List<String> sources = new ArrayList<>();
    for (Path module : modules) {
      try (Stream<Path> files = Files.walk(module)) {
        for (Path file : files.filter(file -> file.toString().endsWith(".java")).toList()) {
          sources.add(withWholeStrings(Files.readString(file)));
        }
      }
    }
    return new MainSources(sources);
  }

  /** Makes one string of literals that are added up, and one sign of each parameter. */
  private static String withWholeStrings(String source) {
    return source.replaceAll("\"\\s*\\+\\s*\"", "").replaceAll("\\{\\}|%s|%n", ANYTHING);
  }

  /** The fixed parts of a message. */
  static List<String> fixedParts(String message) {
    return Arrays.stream(message.split(ANYTHING))
        .map(part -> part.replaceAll("^[\\s:;,(]+|[\\s:;,(]+$", ""))
        .filter(part -> part.length() > 2)
        .toList();
  }

  /** Whether one file has all fixed parts of the message. */
  public boolean say(String message) {
    List<String> parts = fixedParts(message);
    return sources.stream().anyMatch(source -> parts.stream().allMatch(source::contains));
  }
}
