package io.sluice.hadoop.files;

import static org.apache.hadoop.fs.statistics.impl.IOStatisticsBinding.iostatisticsStore;

import java.util.Arrays;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import org.apache.hadoop.fs.statistics.IOStatistics;
import org.apache.hadoop.fs.statistics.impl.IOStatisticsStore;

/**
 * How often a file system of a cluster's files did something in another way than the best, as
 * Hadoop's {@link IOStatistics}.
 *
 * <p>Thread contract: safe from any thread.
 */
final class FileCounts {
  /** What is counted; its name in lower case is that of the statistic. */
  enum Count {
    /** Files that the node's pool did not take, and that lie in their records. */
    FALLBACK_FILE_TO_ROOT,
    /** Files whose copy was read, since their node could not be. */
    FALLBACK_READ_OF_COPY,
    /** Times that what lies on this node was read as what lies on others. */
    FALLBACK_OWN_NODE_OVER_TRANSPORT,
    /** Files that were deleted, and whose bytes their node keeps until they are old. */
    FILES_NOT_FREED;

    String statistic() {
      return name().toLowerCase(Locale.ROOT);
    }
  }

  private final IOStatisticsStore store =
      iostatisticsStore()
          .withCounters(Arrays.stream(Count.values()).map(Count::statistic).toArray(String[]::new))
          .build();

  void add(Count what, long times) {
    store.incrementCounter(what.statistic(), times);
  }

  IOStatistics statistics() {
    return store;
  }

  /** What is not zero, by its statistic. */
  Map<String, Long> found() {
    Map<String, Long> found = new TreeMap<>(store.counters());
    found.values().removeIf(times -> times == 0);
    return found;
  }
}
