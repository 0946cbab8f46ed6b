package io.sluice.spark.ui;

import io.sluice.spark.engine.SparkShims;
import io.sluice.spark.metrics.ExecutorReport;
import jakarta.servlet.http.HttpServletRequest;
import java.util.List;
import java.util.function.Supplier;
import org.apache.spark.ui.SparkUI;
import org.apache.spark.ui.SparkUITab;
import org.apache.spark.ui.WebUIPage;
import scala.collection.immutable.Seq;
import scala.jdk.javaapi.CollectionConverters;
import scala.xml.Node;
import scala.xml.Unparsed;

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

  /** Adds the tab; each request for its page asks for the reports anew. */
  public static void attach(SparkUI ui, Supplier<List<ExecutorReport>> reports) {
    ui.attachTab(new SluiceTab(ui, reports));
  }

  /**
   * The only page of the tab, within the frame of Spark's pages.
   *
   * <p>Thread contract: threads of the UI call it.
   */
  static final class SluicePage extends WebUIPage {
    private final SparkUITab tab;
    private final Supplier<List<ExecutorReport>> reports;

    SluicePage(SparkUITab tab, Supplier<List<ExecutorReport>> reports) {
      super("");
      this.tab = tab;
      this.reports = reports;
    }

    @Override
    public Seq<Node> render(HttpServletRequest request) {
      Node content = new Unparsed(PageContent.of(reports.get()));
      return SparkShims.page(
          request, "Sluice", CollectionConverters.asScala(List.of(content)).toSeq(), tab);
    }
  }
}
