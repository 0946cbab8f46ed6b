package io.sluice.spark.report;

import io.sluice.node.client.ReadStats;
import io.sluice.spark.engine.SparkRelease;
import io.sluice.spark.engine.SparkShims;
import io.sluice.spark.metrics.ShuffleCounters;
import io.sluice.spark.report.HtmlTable.Cell;
import io.sluice.spark.report.HtmlTable.Column;
import jakarta.servlet.http.HttpServletRequest;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.SortedSet;
import java.util.TreeSet;
import java.util.function.Supplier;
import org.apache.spark.ui.SparkUI;
import org.apache.spark.ui.SparkUITab;
import org.apache.spark.ui.WebUIPage;
import scala.collection.immutable.Seq;
import scala.xml.Node;

/**
 * The tab "Sluice" of an application's UI, at {@code /sluice/}.
 *
 * <p>Thread contract: Spark's. Ownership: the UI's.
 */
public final class SluiceTab extends SparkUITab {
  private static final Column EXECUTOR =
      new Column("Executor ID", "The id on Spark's page of executors.");

  private SluiceTab(SparkUI ui, Supplier<List<ExecutorReport>> reports) {
    super(ui, "sluice");
    Supplier<String> html = () -> content(reports.get());
    attachPage(SparkRelease.isSpark3() ? spark3Page(html) : spark4Page(html));
  }

  /** Adds the tab; each request for its page asks for the reports anew. */
  public static void attach(SparkUI ui, Supplier<List<ExecutorReport>> reports) {
    ui.attachTab(new SluiceTab(ui, reports));
  }

  private WebUIPage spark4Page(Supplier<String> html) {
    return new SluicePage(this, html);
  }

  /** By name, because its class is compiled with Spark 3.5, and this one with Spark 4. */
  private WebUIPage spark3Page(Supplier<String> html) {
    try {
      return (WebUIPage)
          Class.forName("io.sluice.spark.report.Spark35Page")
              .getDeclaredConstructor(SparkUITab.class, Supplier.class)
              .newInstance(this, html);
    } catch (ReflectiveOperationException e) {
      throw new LinkageError("this Spark 3 has no pages like those of Spark 3.5", e);
    }
  }

  /** The only page of the tab, within the frame of Spark's pages. Threads of the UI call it. */
  private static final class SluicePage extends WebUIPage {
    private final SparkUITab tab;
    private final Supplier<String> html;

    SluicePage(SparkUITab tab, Supplier<String> html) {
      super("");
      this.tab = tab;
      this.html = html;
    }

    @Override
    public Seq<Node> render(HttpServletRequest request) {
      return SparkShims.page(request, tab, html.get());
    }
  }

  /** The content of the page for some reports, as HTML. */
  static String content(List<ExecutorReport> reports) {
    return section("Pools", pools(reports), "No executor has reported yet.")
        + section("Shuffle Bytes Read", bytesRead(reports), "No executor has reported yet.")
        + section("Left to Spark", fallbacks(reports), "Nothing was left to Spark.");
  }

  private static String section(String title, HtmlTable table, String whenEmpty) {
    return "<h4>"
        + title
        + "</h4>"
        + (table.isEmpty() ? "<p>" + HtmlTable.escape(whenEmpty) + "</p>" : table.toHtml());
  }

  private static HtmlTable pools(List<ExecutorReport> reports) {
    HtmlTable table =
        new HtmlTable(
            "sluice-pools",
            List.of(
                EXECUTOR,
                new Column("Host", "Where the executor runs."),
                new Column("Pool", "The executor's first map task opens it."),
                new Column("Transports", "Those that the executor serves over, best first."),
                new Column(
                    "Memory Used",
                    "Memory that map outputs and writers use, and the pool's capacity."),
                new Column("Disk Used", "Bytes that did not fit in memory."),
                new Column("Outputs Held", "Map outputs in the pool."),
                new Column(
                    "Written to Service",
                    "Map outputs that the executor wrote to its node's service."),
                new Column("Persisted Blocks", "Blocks that a pool keeps instead of files."),
                new Column(
                    "Persisted Memory",
                    "Memory that persisted blocks use, and the capacity of their pool."),
                new Column("Reported", "Time of the report.")));
    for (ExecutorReport report : reports) {
      table.add(
          List.of(
              Cell.text(report.executorId()),
              Cell.text(report.host()),
              Cell.text(report.pool()),
              Cell.words(report.transports()),
              Cell.bytes(report.memory().usedBytes(), report.memory().capacityBytes()),
              Cell.bytes(report.disk().usedBytes()),
              Cell.count(report.outputs()),
              Cell.bytes(report.serviceBytes()),
              Cell.count(report.persistedBlocks()),
              Cell.bytes(report.persisted().usedBytes(), report.persisted().capacityBytes()),
              Cell.time(report.takenAtMs())));
    }
    return table;
  }

  private static HtmlTable bytesRead(List<ExecutorReport> reports) {
    SortedSet<String> transports = new TreeSet<>();
    reports.forEach(report -> transports.addAll(report.bytesByWay().keySet()));
    transports.removeAll(
        List.of(ReadStats.INLINED, ShuffleCounters.OWN_POOL, ShuffleCounters.THROUGH_SPARK));
    List<Column> columns = new ArrayList<>();
    columns.add(EXECUTOR);
    columns.add(new Column("Own Pool", "Blocks that the executor's tasks found in its own pool."));
    for (String transport : transports) {
      columns.add(new Column("Over " + transport, "Blocks from the pools of other executors."));
    }
    columns.add(
        new Column(
            "With Answers",
            "Short blocks from those pools, sent with the answer that locates them."));
    columns.add(new Column("Through Spark", "Remote blocks that Spark's own client fetched."));
    HtmlTable table = new HtmlTable("sluice-bytes", columns);
    for (ExecutorReport report : reports) {
      List<Cell> cells = new ArrayList<>();
      cells.add(Cell.text(report.executorId()));
      cells.add(bytes(report, ShuffleCounters.OWN_POOL));
      transports.forEach(transport -> cells.add(bytes(report, transport)));
      cells.add(bytes(report, ReadStats.INLINED));
      cells.add(bytes(report, ShuffleCounters.THROUGH_SPARK));
      table.add(cells);
    }
    return table;
  }

  private static Cell bytes(ExecutorReport report, String way) {
    return Cell.bytes(report.bytesByWay().getOrDefault(way, 0L));
  }

  private static HtmlTable fallbacks(List<ExecutorReport> reports) {
    HtmlTable table =
        new HtmlTable(
            "sluice-fallbacks",
            List.of(
                EXECUTOR,
                new Column("Reason", "Why Spark took over."),
                new Column("Times", "How often it did.")));
    for (ExecutorReport report : reports) {
      for (Map.Entry<String, Long> fallback : report.fallbacks().entrySet()) {
        table.add(
            List.of(
                Cell.text(report.executorId()),
                Cell.text(fallback.getKey()),
                Cell.count(fallback.getValue())));
      }
    }
    return table;
  }
}
