package io.sluice.local.history;

import java.util.Arrays;
import java.util.stream.Stream;
import org.apache.hadoop.mapred.TIPStatus;
import org.apache.hadoop.mapreduce.Counters;
import org.apache.hadoop.mapreduce.TaskReport;

/** How tasks of one kind have ended. */
record TaskTotals(TaskReport[] reports) {
  private Stream<TaskReport> in(TIPStatus status) {
    return Arrays.stream(reports).filter(report -> report.getCurrentStatus() == status);
  }

  int succeeded() {
    return (int) in(TIPStatus.COMPLETE).count();
  }

  int failed() {
    return (int) in(TIPStatus.FAILED).count();
  }

  int killed() {
    return (int) in(TIPStatus.KILLED).count();
  }

  /** When the first began; 0 if none did. */
  long firstStartMs() {
    return Arrays.stream(reports)
        .mapToLong(TaskReport::getStartTime)
        .filter(startMs -> startMs > 0)
        .min()
        .orElse(0);
  }

  Counters counters() {
    Counters all = new Counters();
    Arrays.stream(reports).forEach(report -> all.incrAllCounters(report.getTaskCounters()));
    return all;
  }
}
