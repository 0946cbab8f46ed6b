package io.sluice.spark.report;

import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import org.apache.spark.ui.SparkUI;
import org.apache.spark.util.kvstore.KVStore;
import org.apache.spark.util.kvstore.KVStoreIterator;

/**
 * Adds the tab "Sluice" to the pages of an application in Spark's history server, with the reports
 * of executors that were among the application's events.
 *
 * <p>Thread contract: stateless.
 */
final class HistoryTab implements Consumer<SparkUI> {
  @Override
  public void accept(SparkUI ui) {
    KVStore store = ui.store().store();
    SluiceTab.attach(ui, () -> reports(store));
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
