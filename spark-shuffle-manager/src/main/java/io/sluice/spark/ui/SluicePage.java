package io.sluice.spark.ui;

import io.sluice.spark.engine.UiShims;
import io.sluice.spark.metrics.ExecutorReport;
import jakarta.servlet.http.HttpServletRequest;
import java.util.List;
import java.util.function.Supplier;
import org.apache.spark.ui.SparkUITab;
import org.apache.spark.ui.WebUIPage;
import scala.collection.immutable.Seq;
import scala.jdk.javaapi.CollectionConverters;
import scala.xml.Node;
import scala.xml.Unparsed;

/**
 * The one page of the tab, within the frame of Spark's pages.
 *
 * <p>Thread contract: called from any thread of the UI's.
 */
final class SluicePage extends WebUIPage {
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
    return UiShims.page(
        request, "Sluice", CollectionConverters.asScala(List.of(content)).toSeq(), tab);
  }
}
