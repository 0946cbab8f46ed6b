package io.sluice.spark.report;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;

/**
 * The last report of each executor, on the driver. Of executors that report no more it keeps only
 * the latest, because a long application may have any number of them.
 *
 * <p>Thread contract: safe from any thread.
 */
public final class ExecutorReports {
  private static final Comparator<String> BY_NUMBER =
      Comparator.comparingInt(String::length).thenComparing(Comparator.naturalOrder());

  /** An executor that is silent for so long is gone, or the driver is very busy. */
  private static final long GONE_NS = TimeUnit.MINUTES.toNanos(2);

  private final int retainedGone;
  private final LongSupplier nanoClock;
  private final Map<String, Received> last = new LinkedHashMap<>(); // the oldest first

  private record Received(ExecutorReport report, long receivedNs) {}

  /**
   * Holds no report yet.
   *
   * @param retainedGone most reports of executors that are gone
   */
  public ExecutorReports(int retainedGone, LongSupplier nanoClock) {
    this.retainedGone = retainedGone;
    this.nanoClock = nanoClock;
  }

  /** Replaces the executor's former report. */
  public synchronized void add(ExecutorReport report) {
    long nowNs = nanoClock.getAsLong();
    last.remove(report.executorId());
    last.put(report.executorId(), new Received(report, nowNs));
    long gone = last.values().stream().takeWhile(each -> isGone(each, nowNs)).count();
    Iterator<Received> oldest = last.values().iterator();
    for (long surplus = gone - retainedGone; surplus > 0; surplus--) {
      oldest.next();
      oldest.remove();
    }
  }

  private static boolean isGone(Received each, long nowNs) {
    return nowNs - each.receivedNs() > GONE_NS;
  }

  /** All reports, ordered by executor. */
  public synchronized List<ExecutorReport> all() {
    List<ExecutorReport> all = new ArrayList<>();
    last.values().forEach(each -> all.add(each.report()));
    return ordered(all);
  }

  /** Those received after a time of the clock, ordered by executor. */
  public synchronized List<ExecutorReport> since(long nanos) {
    List<ExecutorReport> later = new ArrayList<>();
    for (Received each : last.values()) {
      if (each.receivedNs() - nanos >= 0) {
        later.add(each.report());
      }
    }
    return ordered(later);
  }

  /** Sorts reports by executor. */
  static List<ExecutorReport> ordered(List<ExecutorReport> reports) {
    reports.sort(Comparator.comparing(ExecutorReport::executorId, BY_NUMBER));
    return reports;
  }
}
