package io.sluice.bench.local;

import io.sluice.it.cluster.ClusterException;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;

/**
 * Which lines an output holds, in whatever order and files: engines partition differently.
 *
 * @param lines how many
 * @param sum of a hash of each
 */
record LinesDigest(long lines, long sum) {
  private static final long PRIME = 0x100000001B3L; // FNV-1a's
  private static final long OFFSET = 0xCBF29CE484222325L;

  /** Of all files below a directory that are no marks of an engine. */
  static LinesDigest of(Path output) {
    long[] found = new long[2];
    try (Stream<Path> files = Files.walk(output)) {
      List<Path> parts =
          files
              .filter(Files::isRegularFile)
              .filter(file -> !file.getFileName().toString().matches("[._].*"))
              .toList();
      for (Path part : parts) {
        try (Stream<String> lines = Files.lines(part)) {
          lines.forEach(
              line -> {
                found[0]++;
                found[1] += hash(line);
              });
        }
      }
    } catch (IOException e) {
      throw new UncheckedIOException("cannot read " + output, e);
    }
    if (found[0] == 0) {
      throw new ClusterException(output + " holds nothing");
    }
    return new LinesDigest(found[0], found[1]);
  }

  private static long hash(String line) {
    long hash = OFFSET;
    for (byte each : line.getBytes(StandardCharsets.UTF_8)) {
      hash = (hash ^ each) * PRIME;
    }
    return hash;
  }
}
