package io.sluice.spark.plugin;

import io.sluice.spark.metrics.ExecutorReport;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * The last report of every executor that ever sent one, on the driver.
 *
 * <p>Thread contract: safe from any thread.
 */
final class ExecutorReports {
  private static final Comparator<String> BY_NUMBER =
      Comparator.comparingInt(String::length).thenComparing(Comparator.naturalOrder());

  private final Map<String, ExecutorReport> last = new HashMap<>();

  /** Takes a report in, instead of the executor's former one. */
  synchronized void add(ExecutorReport report) {
    last.put(report.executorId(), report);
  }

  /** All of them, by executor. */
  synchronized List<ExecutorReport> all() {
    List<ExecutorReport> all = new ArrayList<>(last.values());
    all.sort(Comparator.comparing(ExecutorReport::executorId, BY_NUMBER));
    return all;
  }
}
