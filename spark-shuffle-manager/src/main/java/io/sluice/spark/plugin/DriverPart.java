package io.sluice.spark.plugin;

import io.sluice.spark.conf.SparkSettings;
import io.sluice.spark.metrics.ExecutorReport;
import io.sluice.spark.ui.SluiceTab;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.apache.spark.SparkContext;
import org.apache.spark.api.plugin.DriverPlugin;
import org.apache.spark.api.plugin.PluginContext;

/**
 * Makes Sluice the application's shuffle manager unless it names one, keeps what executors report
 * and shows it in Spark's UI, if there is one.
 *
 * <p>Thread contract: Spark's.
 */
public final class DriverPart implements DriverPlugin {
  /** As many as Spark's own pages show. */
  private static final String RETAINED_GONE = "spark.ui.retainedDeadExecutors";

  private final String managerClass;
  private ExecutorReports reports; // as the next, from init on
  private PluginContext context;

  /**
   * Has nothing to show yet.
   *
   * @param managerClass name of Sluice's shuffle manager
   */
  public DriverPart(String managerClass) {
    this.managerClass = managerClass;
  }

  @Override
  public Map<String, String> init(SparkContext spark, PluginContext context) {
    this.context = context;
    reports = new ExecutorReports(context.conf().getInt(RETAINED_GONE, 100), System::nanoTime);
    // The shuffle manager, which checks as well, may be another than Sluice's.
    SparkSettings.check(context.conf());
    // Spark makes the manager after its plugins.
    context.conf().setIfMissing("spark.shuffle.manager", managerClass);
    if (spark.ui().isDefined()) {
      SluiceTab.attach(spark.ui().get(), this::current);
    }
    return Map.of();
  }

  @Override
  public Object receive(Object message) {
    reports.add((ExecutorReport) message);
    return null;
  }

  /** What executors said last, and what the driver says now. */
  private List<ExecutorReport> current() {
    reports.add(ReportMaker.take(context, Optional.empty()));
    return reports.all();
  }
}
