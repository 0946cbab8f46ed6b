package io.sluice.spark.plugin;

import java.io.IOException;
import java.util.Map;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import org.apache.spark.TaskFailedReason;
import org.apache.spark.api.plugin.ExecutorPlugin;
import org.apache.spark.api.plugin.PluginContext;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Tells the driver how this executor is: every ten seconds, soon after tasks have ended, and when
 * the executor stops.
 *
 * <p>Thread contract: Spark calls it from tasks' threads, the reports are sent from one of its own.
 * Ownership: Spark shuts it down. Failure: a report that cannot be sent is said once; the page that
 * shows it is older then.
 */
public final class ExecutorReporter implements ExecutorPlugin {
  private static final Logger LOG = LoggerFactory.getLogger(ExecutorReporter.class);
  private static final long PERIOD_MS = 10_000;

  /** Tasks that end meanwhile are in the same report. */
  private static final long AFTER_TASK_MS = 500;

  private final AtomicBoolean due = new AtomicBoolean();
  private final AtomicBoolean failed = new AtomicBoolean();
  private final ScheduledExecutorService thread =
      new ScheduledThreadPoolExecutor(
          1,
          work -> {
            Thread reporter = new Thread(work, "sluice-reporter");
            reporter.setDaemon(true);
            return reporter;
          },
          new ThreadPoolExecutor.DiscardPolicy()); // of tasks that end after the shutdown
  private PluginContext context;

  /** Reports nothing yet. */
  public ExecutorReporter() {}

  @Override
  public void init(PluginContext context, Map<String, String> extraConf) {
    this.context = context;
    thread.scheduleWithFixedDelay(this::report, 0, PERIOD_MS, TimeUnit.MILLISECONDS);
  }

  @Override
  public void onTaskSucceeded() {
    reportSoon();
  }

  @Override
  public void onTaskFailed(TaskFailedReason reason) {
    reportSoon();
  }

  @Override
  public void shutdown() {
    thread.shutdownNow();
    report();
  }

  private void reportSoon() {
    if (due.compareAndSet(false, true)) {
      thread.schedule(this::reportAfterTask, AFTER_TASK_MS, TimeUnit.MILLISECONDS);
    }
  }

  private void reportAfterTask() {
    due.set(false);
    report();
  }

  private void report() {
    try {
      context.send(Reports.take(context));
    } catch (IOException | RuntimeException e) {
      if (!failed.getAndSet(true)) {
        LOG.warn("The driver cannot be told how this executor is: {}", e.toString());
      }
    }
  }
}
