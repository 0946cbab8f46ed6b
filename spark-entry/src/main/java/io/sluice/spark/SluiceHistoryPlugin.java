package io.sluice.spark;

import io.sluice.spark.engine.ScalaLists;
import io.sluice.spark.entry.Java17;
import io.sluice.spark.report.ExecutorReport;
import io.sluice.spark.report.ReportsEvent;
import java.util.Collections;
import java.util.Optional;
import java.util.function.Consumer;
import org.apache.spark.SparkConf;
import org.apache.spark.scheduler.SparkListener;
import org.apache.spark.scheduler.SparkListenerEvent;
import org.apache.spark.status.AppHistoryServerPlugin;
import org.apache.spark.status.ElementTrackingStore;
import org.apache.spark.ui.SparkUI;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import scala.collection.immutable.Seq;

/**
 * Shows the tab "Sluice" in Spark's history server, for applications with reports of executors
 * among their events. A history server finds this class in {@code META-INF/services} of each jar on
 * its class path.
 *
 * <p>Its {@code Seq} is the immutable one; in Scala 2.12 the compiler adds the method that Spark
 * calls there, because this class is compiled there.
 *
 * <p>Thread contract: stateless. Failure: logged; the application's other pages are shown.
 */
public final class SluiceHistoryPlugin implements AppHistoryServerPlugin {
  private static final Logger LOG = LoggerFactory.getLogger(SluiceHistoryPlugin.class);

  /** Called by the history server. */
  public SluiceHistoryPlugin() {}

  @Override
  public Seq<SparkListener> createListeners(SparkConf conf, ElementTrackingStore store) {
    return ScalaLists.of(Collections.singletonList(new ReportKeeper(store)));
  }

  @Override
  @SuppressWarnings({"rawtypes", "unchecked"})
  public void setupUI(SparkUI ui) {
    try {
      if (ui.store().store().count(ExecutorReport.class) == 0) {
        return;
      }
      Optional<Consumer> tab = Java17.make(Consumer.class, "io.sluice.spark.report.HistoryTab");
      if (tab.isPresent()) {
        tab.get().accept(ui);
      } else {
        LOG.warn("This history server does not show the tab of Sluice: {}", Java17.reason());
      }
    } catch (Exception | LinkageError e) {
      LOG.warn("This history server cannot show the tab of Sluice", e);
    }
  }

  /** Puts the last report of each executor into the store behind the pages. */
  private static final class ReportKeeper extends SparkListener {
    private final ElementTrackingStore store;

    ReportKeeper(ElementTrackingStore store) {
      this.store = store;
    }

    @Override
    public void onOtherEvent(SparkListenerEvent event) {
      if (event instanceof ReportsEvent) {
        for (ExecutorReport report : ((ReportsEvent) event).reports()) {
          store.write(report);
        }
      }
    }
  }
}
