package io.sluice.rdma.transport.support;

import java.util.concurrent.Future;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;

/**
 * One daemon thread that says when time is up.
 *
 * <p>Its tasks only mark and wake; they never wait, for a late task would make every other deadline
 * late. Thread contract: safe from any thread. Ownership: an endpoint owns one and closes it last.
 */
public final class Deadlines implements AutoCloseable {
  private final ScheduledThreadPoolExecutor timer;

  public Deadlines(String threadName) {
    timer =
        new ScheduledThreadPoolExecutor(
            1,
            task -> {
              Thread thread = new Thread(task, threadName);
              thread.setDaemon(true);
              return thread;
            });
    timer.setRemoveOnCancelPolicy(true);
    // Refused only after close, when every connection has ended and failed its reads.
    timer.setRejectedExecutionHandler(new ThreadPoolExecutor.DiscardPolicy());
    timer.setExecuteExistingDelayedTasksAfterShutdownPolicy(false);
  }

  /** Runs {@code onLate} once after {@code timeoutMs} unless the result is cancelled before. */
  public Future<?> after(long timeoutMs, Runnable onLate) {
    return timer.schedule(onLate, timeoutMs, TimeUnit.MILLISECONDS);
  }

  /** Runs {@code check} again and again. */
  public void every(long periodMs, Runnable check) {
    timer.scheduleWithFixedDelay(check, periodMs, periodMs, TimeUnit.MILLISECONDS);
  }

  /** Drops what has not run yet. */
  @Override
  public void close() {
    timer.shutdownNow();
  }
}
