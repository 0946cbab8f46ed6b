package io.sluice.spark.ui;

import io.sluice.spark.metrics.ExecutorReport;
import java.util.List;
import java.util.function.Supplier;
import org.apache.spark.ui.SparkUI;
import org.apache.spark.ui.SparkUITab;

/**
 * The tab "Sluice" of a running application's UI, at {@code /sluice/}.
 *
 * <p>Thread contract: Spark's. Ownership: the UI's.
 */
public final class SluiceTab extends SparkUITab {
  private SluiceTab(SparkUI ui, Supplier<List<ExecutorReport>> reports) {
    super(ui, "sluice");
    attachPage(new SluicePage(this, reports));
  }

  /** Adds the tab; each look at it asks for the reports again. */
  public static void attach(SparkUI ui, Supplier<List<ExecutorReport>> reports) {
    ui.attachTab(new SluiceTab(ui, reports));
  }
}
