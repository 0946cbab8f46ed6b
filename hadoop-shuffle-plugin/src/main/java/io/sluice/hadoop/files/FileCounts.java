package io.sluice.hadoop.files;

import static org.apache.hadoop.fs.statistics.impl.IOStatisticsBinding.iostatisticsStore;

import java.util.Arrays;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import org.apache.hadoop.fs.statistics.IOStatistics;
import org.apache.hadoop.fs.statistics.impl.IOStatisticsStore;

/**
 * Counts the fallbacks of a file system {@code sluice://cluster/}, as Hadoop's {@link
 * IOStatistics}.
 *
 * <p>Thread contract: safe from any thread.
 */
final class FileCounts {
  /** A counter; its name in lower case is the name of the statistic. */
  enum Count {
    /** Files that the node's pool did not take, and whose bytes lie in their records. */
    FALLBACK_FILE_TO_ROOT,
    /** Files whose copy was read, because their node could not be read. */
    FALLBACK_READ_OF_COPY,
    /** Times that files of this node had to be read over a transport. */
    FALLBACK_OWN_NODE_OVER_TRANSPORT,
    /** Files that were deleted, but whose bytes stay in their node's pool until they expire. */
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

  /** The counters that are not zero, by the name of their statistic. */
  Map<String, Long> found() {
    Map<String, Long> found = new TreeMap<>(store.counters());
    found.values().removeIf(times -> times == 0);
    return found;
  }
}
