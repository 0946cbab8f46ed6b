package io.sluice.it.cluster;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;

/**
 * What a process holds that could leak, as the kernel counts it.
 *
 * @param files of some directories that it has open or mapped, deleted ones too
 * @param threads whose names begin as Sluice's do
 */
public record ProcessHoldings(long files, long threads) {
  private static final String THREADS = "sluice";

  /** Of a process of this host that this one may look into. */
  public static ProcessHoldings of(long pid, List<Path> directories) throws IOException {
    Path process = Path.of("/proc", Long.toString(pid));
    List<String> prefixes = directories.stream().map(directory -> directory + "/").toList();
    long open = count(process.resolve("fd"), fd -> startsWith(target(fd), prefixes));
    long mapped = count(process.resolve("map_files"), map -> startsWith(target(map), prefixes));
    long threads =
        count(process.resolve("task"), task -> name(task.resolve("comm")).startsWith(THREADS));
    return new ProcessHoldings(open + mapped, threads);
  }

  private interface Test {
    boolean matches(Path entry) throws IOException;
  }

  private static long count(Path directory, Test test) throws IOException {
    long count = 0;
    try (Stream<Path> entries = Files.list(directory)) {
      for (Path entry : entries.toList()) {
        if (test.matches(entry)) {
          count++;
        }
      }
    }
    return count;
  }

  private static boolean startsWith(String target, List<String> prefixes) {
    return prefixes.stream().anyMatch(target::startsWith);
  }

  /** Nothing for what went meanwhile. */
  private static String target(Path link) throws IOException {
    try {
      return Files.readSymbolicLink(link).toString();
    } catch (NoSuchFileException e) {
      return "";
    }
  }

  private static String name(Path file) throws IOException {
    try {
      return Files.readString(file);
    } catch (NoSuchFileException e) {
      return "";
    }
  }
}
