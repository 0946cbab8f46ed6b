package io.sluice.spark.report;

import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import org.apache.spark.ui.SparkUI;
import org.apache.spark.util.kvstore.KVStore;
import org.apache.spark.util.kvstore.KVStoreIterator;

/**
 * Adds the tab "Sluice" to the pages of an application in Spark's history server, if the
 * application's events have reports of executors.
 *
 * <p>Thread contract: stateless.
 */
final class HistoryTab implements Consumer<SparkUI> {
  @Override
  public void accept(SparkUI ui) {
    KVStore store = ui.store().store();
    try {
      if (store.count(ExecutorReport.class) > 0) {
        SluiceTab.attach(ui, () -> reports(store));
      }
    } catch (Exception e) {
      throw new IllegalStateException("the reports of executors cannot be read", e);
    }
  }

  private static List<ExecutorReport> reports(KVStore store) {
    List<ExecutorReport> all = new ArrayList<>();
    try (KVStoreIterator<ExecutorReport> each =
        store.view(ExecutorReport.class).closeableIterator()) {
      each.forEachRemaining(all::add);
    } catch (Exception e) {
      throw new IllegalStateException("the reports of executors cannot be read", e);
    }
    return ExecutorReports.ordered(all);
  }
}
