package io.sluice.spark.report;

import io.sluice.spark.engine.UserThreads;
import java.io.Closeable;
import java.io.IOException;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Supplier;
import org.apache.spark.api.plugin.PluginContext;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Sends this executor's report to the driver: every ten seconds, soon after tasks have ended, and
 * when it is closed. When the last task that runs ends, it sends the report before Spark tells the
 * driver of that, because the application may end then.
 *
 * <p>Thread contract: safe from any thread; a thread of its own sends the reports. Ownership: the
 * plugin closes it. Failure: the first report that cannot be sent is logged; the page in the UI
 * then shows an older one.
 */
public final class ExecutorReporter implements Closeable {
  private static final Logger LOG = LoggerFactory.getLogger(ExecutorReporter.class);
  private static final long PERIOD_MS = 10_000;

  /** Tasks that end within this time share a report. */
  private static final long AFTER_TASK_MS = 500;

  /** The end of a task waits no longer for its report, should a lock or the disk be slow. */
  private static final long SEND_WAIT_MS = 50;

  private final PluginContext context;
  private final Supplier<ExecutorReport> report;
  private final AtomicInteger running = new AtomicInteger();
  private final AtomicBoolean due = new AtomicBoolean();
  private final AtomicBoolean awaited = new AtomicBoolean();
  private final AtomicBoolean failed = new AtomicBoolean();
  private final UserThreads threads = UserThreads.ofCurrentUser();
  private final ScheduledExecutorService thread =
      new ScheduledThreadPoolExecutor(
          1,
          work -> threads.create("sluice-reporter", work),
          new ThreadPoolExecutor.DiscardPolicy()); // tasks may end after it was closed
  private volatile long sentNs = System.nanoTime();

  private ExecutorReporter(PluginContext context, Supplier<ExecutorReport> report) {
    this.context = context;
    this.report = report;
  }

  /** Sends the first report at once. */
  public static ExecutorReporter start(PluginContext context, Supplier<ExecutorReport> report) {
    ExecutorReporter started = new ExecutorReporter(context, report);
    started.thread.scheduleWithFixedDelay(started::send, 0, PERIOD_MS, TimeUnit.MILLISECONDS);
    return started;
  }

  /** A task runs from now on. */
  public void taskBegan() {
    running.incrementAndGet();
  }

  /** A task has ended, so that a report is due. Spark may tell of the end of tasks alone. */
  public void taskEnded() {
    boolean isLast = running.updateAndGet(tasks -> Math.max(tasks - 1, 0)) == 0;
    if (isLast && System.nanoTime() - sentNs >= TimeUnit.MILLISECONDS.toNanos(AFTER_TASK_MS)) {
      awaitSent();
    } else if (due.compareAndSet(false, true)) {
      thread.schedule(this::sendAfterTask, AFTER_TASK_MS, TimeUnit.MILLISECONDS);
    }
  }

  /** Only one waits at a time: while the thread hangs, no more work for it piles up. */
  private void awaitSent() {
    if (!awaited.compareAndSet(false, true)) {
      return;
    }
    try {
      thread.submit(this::sendAwaited).get(SEND_WAIT_MS, TimeUnit.MILLISECONDS);
    } catch (TimeoutException e) {
      // The thread sends it when it can.
    } catch (ExecutionException e) {
      LOG.warn("The report of this executor cannot be made", e.getCause());
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt(); // the task is killed
    }
  }

  private void sendAwaited() {
    awaited.set(false);
    send();
  }

  private void sendAfterTask() {
    due.set(false);
    send();
  }

  private void send() {
    sentNs = System.nanoTime();
    try {
      context.send(report.get());
    } catch (IOException | RuntimeException e) {
      if (!failed.getAndSet(true)) {
        LOG.warn("The report of this executor cannot be sent to the driver: {}", e.toString());
      }
    }
  }

  @Override
  public void close() {
    thread.shutdownNow();
    send();
  }
}
