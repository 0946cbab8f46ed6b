package io.sluice.it.foreign;

import io.sluice.it.cluster.ClusterException;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;

/**
 * The bytes of shuffles that executors have read out of pools, in files that Spark's sink for CSV
 * writes of each executor's metrics, the last time when it stops. Stateless.
 *
 * <p>Failure: {@link ClusterException} if it is none. An equal output says nothing of Sluice then.
 */
final class ServedBytes {
  private static final String SINK = "spark.metrics.conf.executor.sink.csv.";
  private static final String READ = ".+\\.sluice\\.read\\.(?!spark\\.)[^.]+\\.bytes\\.csv";

  private ServedBytes() {}

  /** What makes executors write the files into a directory, which must be there. */
  static Map<String, String> settings(Path directory) {
    return Map.of(
        SINK + "class", "org.apache.spark.metrics.sink.CsvSink",
        SINK + "directory", directory.toString(),
        SINK + "period", "5",
        SINK + "unit", "seconds");
  }

  /** Their sum over all executors. */
  static long require(Path directory) {
    try (Stream<Path> files = Files.list(directory)) {
      long bytes =
          files
              .filter(file -> file.getFileName().toString().matches(READ))
              .mapToLong(ServedBytes::last)
              .sum();
      if (bytes == 0) {
        throw new ClusterException("Sluice served no byte of the program's shuffles");
      }
      return bytes;
    } catch (IOException e) {
      throw new UncheckedIOException("cannot list " + directory, e);
    }
  }

  /** The value of the last line; the first has the columns' names, the time and the value. */
  private static long last(Path file) {
    try {
      List<String> lines = Files.readAllLines(file);
      if (lines.size() < 2) {
        return 0; // its executor was ended before it wrote one
      }
      String last = lines.get(lines.size() - 1);
      return Long.parseLong(last.substring(last.indexOf(',') + 1));
    } catch (IOException e) {
      throw new UncheckedIOException("cannot read " + file, e);
    }
  }
}
