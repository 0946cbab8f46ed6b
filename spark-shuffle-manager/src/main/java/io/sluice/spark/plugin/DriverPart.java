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
 * Makes Sluice the application's shuffle manager if the application names none. It keeps the
 * reports of executors and shows them in Spark's UI, if there is one.
 *
 * <p>Thread contract: Spark's.
 */
public final class DriverPart implements DriverPlugin {
  /** Number of dead executors that Spark's own pages show. */
  private static final String RETAINED_GONE = "spark.ui.retainedDeadExecutors";

  private final String managerClass;
  private ExecutorReports reports; // this and the next are set by init
  private PluginContext context;

  /**
   * Has no reports yet.
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
    // Sluice's shuffle manager also checks, but the application may name another one.
    SparkSettings.check(context.conf());
    // Spark creates the manager after its plugins.
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

  /** The last report of each executor, and a new one of the driver. */
  private List<ExecutorReport> current() {
    reports.add(ReportMaker.take(context, Optional.empty()));
    return reports.all();
  }
}
