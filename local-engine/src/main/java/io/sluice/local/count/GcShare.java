package io.sluice.local.count;

import java.lang.management.GarbageCollectorMXBean;
import java.lang.management.ManagementFactory;
import java.util.List;

/**
 * A clock of the process's garbage collection that runs slower the more tasks are at work: the
 * difference of two of its times is what one of them has to answer for, and all of theirs together
 * are what there was.
 *
 * <p>Thread contract: safe from any thread.
 */
final class GcShare {
  private static final List<GarbageCollectorMXBean> COLLECTORS =
      ManagementFactory.getGarbageCollectorMXBeans();

  private static double clockMs; // these three guarded by the class
  private static long lastMs = gcMs();
  private static int tasks;

  private GcShare() {}

  private static long gcMs() {
    return COLLECTORS.stream().mapToLong(each -> Math.max(0, each.getCollectionTime())).sum();
  }

  private static double advance() {
    long nowMs = gcMs();
    if (tasks > 0) {
      clockMs += (nowMs - lastMs) / (double) tasks;
    }
    lastMs = nowMs;
    return clockMs;
  }

  /** A task begins. */
  static synchronized double enter() {
    double atMs = advance();
    tasks++;
    return atMs;
  }

  static synchronized double timeMs() {
    return advance();
  }

  /** A task has ended. */
  static synchronized void leave() {
    advance();
    tasks--;
  }
}
