package io.sluice.spark.report;

import io.sluice.spark.engine.SparkShims;
import java.util.function.Supplier;
import javax.servlet.http.HttpServletRequest;
import org.apache.spark.ui.SparkUITab;
import org.apache.spark.ui.WebUIPage;
import scala.collection.immutable.Seq;
import scala.xml.Node;

/**
 * The page of {@link SluiceTab} in Spark 3.5, whose servlets have other names than those of Spark
 * 4. Its {@code Seq} is the immutable one; in Scala 2.12 the compiler adds the method that Spark
 * calls there, because this class is compiled there.
 *
 * <p>Thread contract: threads of the UI call it.
 */
final class Spark35Page extends WebUIPage {
  private final SparkUITab tab;
  private final Supplier<String> content;

  /** The tab finds it by name. */
  Spark35Page(SparkUITab tab, Supplier<String> content) {
    super("");
    this.tab = tab;
    this.content = content;
  }

  @Override
  public Seq<Node> render(HttpServletRequest request) {
    return SparkShims.page(request, tab, content.get());
  }
}
