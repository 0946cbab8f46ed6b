package io.sluice.spark.plugin;

import io.sluice.rdma.memory.Closer;
import io.sluice.spark.persist.Persistence;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.Map;
import java.util.Optional;
import org.apache.spark.SparkEnv;
import org.apache.spark.TaskFailedReason;
import org.apache.spark.api.plugin.ExecutorPlugin;
import org.apache.spark.api.plugin.PluginContext;

/**
 * What the plugin does on an executor: it keeps persisted blocks, if asked to, and reports.
 *
 * <p>Thread contract: Spark's. Ownership: Spark shuts it down.
 */
public final class ExecutorPart implements ExecutorPlugin {
  private Optional<Persistence> persistence = Optional.empty();
  private ExecutorReporter reporter;

  /** Does nothing yet. */
  public ExecutorPart() {}

  @Override
  public void init(PluginContext context, Map<String, String> extraConf) {
    persistence = Persistence.start(SparkEnv.get());
    persistence.ifPresent(some -> PersistedMetrics.register(context.metricRegistry(), some));
    reporter = ExecutorReporter.start(context, () -> ReportMaker.take(context, persistence));
  }

  @Override
  public void onTaskSucceeded() {
    reporter.taskEnded();
  }

  @Override
  public void onTaskFailed(TaskFailedReason reason) {
    reporter.taskEnded();
  }

  @Override
  public void shutdown() {
    try {
      Closer.all(reporter, persistence.orElse(null));
    } catch (IOException e) {
      throw new UncheckedIOException("the pool of persisted blocks could not be removed", e);
    }
  }
}
