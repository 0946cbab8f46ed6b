package io.sluice.it.spark.suites;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * What {@link ShuffleWatch} wrote down about a suite.
 *
 * @param managers how many drivers and executors had which shuffle manager, by its class
 * @param metrics the sums of Sluice's metrics over all of them
 */
public record Evidence(Map<String, Integer> managers, Map<String, Long> metrics) {
  /** The environment variable that names the file; executors inherit it. */
  public static final String VARIABLE = "SLUICE_SUITE_EVIDENCE";

  static final String MANAGER = "manager";
  static final String METRIC = "metric";

  /** Of how many bytes of map outputs were committed to pools. */
  private static final String WRITTEN = "pool.written.bytes";

  /** Reads it; there is no file if no context was started. */
  public static Evidence read(Path file) throws IOException {
    Map<String, Integer> managers = new TreeMap<>();
    Map<String, Long> metrics = new TreeMap<>();
    for (String line : Files.exists(file) ? Files.readAllLines(file) : List.<String>of()) {
      String[] words = line.split(" ");
      if (words[0].equals(MANAGER)) {
        managers.merge(words[2], 1, Integer::sum);
      } else {
        metrics.merge(words[1], Long.parseLong(words[2]), Long::sum);
      }
    }
    return new Evidence(managers, metrics);
  }

  /** Bytes of map outputs that went to pools, of contexts and executors that were stopped. */
  public long pooledBytes() {
    return metrics.getOrDefault(WRITTEN, 0L);
  }

  /**
   * Why this does not show that a suite shuffled through {@code manager}; empty if it does.
   *
   * @param declined whether all of it had to be left to Spark
   */
  public List<String> faults(String manager, boolean declined) {
    List<String> faults = new ArrayList<>();
    managers.forEach(
        (actual, count) -> {
          if (!actual.equals(manager)) {
            faults.add("%d of the suite's contexts and executors had %s".formatted(count, actual));
          }
        });
    if (declined) {
      if (managers.isEmpty() || pooledBytes() > 0) {
        faults.add(pooledBytes() + " bytes went to a pool, 0 expected; managers: " + managers);
      }
    } else if (pooledBytes() == 0) {
      faults.add("no map output of the suite went to a pool; managers: " + managers);
    }
    return faults;
  }
}
