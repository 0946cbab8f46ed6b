package io.sluice.spark.service;

import io.sluice.rdma.threads.DaemonThreads;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Future;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.function.Consumer;

/**
 * Does one thing for many, a number of them side by side: where it waits for hosts that are gone,
 * one deadline is over for all of them about as soon as for one.
 *
 * <p>Thread contract: safe from any thread. Ownership: its threads end when all is done. Failure:
 * what one of them has thrown, when all are done; an interrupt leaves those that have not begun.
 */
final class ParallelCalls {
  /** A thread here does little but wait. */
  static final int THREADS = 64;

  private static final long IDLE_MS = 1000;

  private ParallelCalls() {}

  /** Returns when it is done for all of them; each must have a deadline of its own. */
  static <T> void each(Collection<T> all, Consumer<T> work) {
    ThreadPoolExecutor threads = DaemonThreads.executor("sluice-services", THREADS, IDLE_MS);
    try {
      List<Future<?>> begun = new ArrayList<>();
      all.forEach(each -> begun.add(threads.submit(() -> work.accept(each))));
      ExecutionException failure = null;
      for (Future<?> each : begun) {
        try {
          each.get();
        } catch (ExecutionException e) {
          failure = e;
        }
      }
      if (failure != null) {
        throw new IllegalStateException(failure.getCause());
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    } finally {
      threads.shutdownNow();
    }
  }
}
