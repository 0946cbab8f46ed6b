package io.sluice.it.spark.jobs;

import java.util.concurrent.TimeUnit;
import org.apache.spark.SparkContext;

/**
 * Waits for the executors that an application asks for: one that is registered is not launched yet,
 * and a short job would be over before it comes.
 */
final class AllExecutors {
  private static final long PAUSE_MS = 20;
  private static final long DEADLINE_NS = TimeUnit.MINUTES.toNanos(5);

  private AllExecutors() {}

  /** Returns when each has its block manager; at once where executors come and go by themselves. */
  static void await(SparkContext context) throws InterruptedException {
    if (context.isLocal() || context.conf().getBoolean("spark.dynamicAllocation.enabled", false)) {
      return;
    }
    int coresMax = context.conf().getInt("spark.cores.max", 2); // each has one core
    int wanted = context.conf().getInt("spark.executor.instances", coresMax);
    long startNs = System.nanoTime();
    while (context.getExecutorMemoryStatus().size() < 1 + wanted) { // the driver's is one of them
      if (System.nanoTime() - startNs > DEADLINE_NS) {
        throw new IllegalStateException("not all of " + wanted + " executors have come");
      }
      Thread.sleep(PAUSE_MS);
    }
  }
}
