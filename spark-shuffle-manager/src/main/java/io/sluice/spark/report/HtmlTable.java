package io.sluice.spark.report;

import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;
import org.apache.spark.ui.UIUtils;
import org.apache.spark.util.Utils;
import scala.xml.Utility$;

/**
 * A table that looks and sorts like those of Spark's other pages.
 *
 * <p>Thread contract: one thread.
 */
final class HtmlTable {
  private final String id;
  private final List<Column> columns;
  private final List<List<Cell>> rows = new ArrayList<>();

  /**
   * The head of a column.
   *
   * @param title one or two words
   * @param meaning a sentence, shown when the mouse is over the title
   */
  record Column(String title, String meaning) {
    String toHtml() {
      return "<th><span data-bs-toggle=\"tooltip\" data-toggle=\"tooltip\" title=\""
          + escape(meaning)
          + "\">"
          + escape(title)
          + "</span></th>";
    }
  }

  /**
   * One cell of a table.
   *
   * @param text shown, not escaped yet
   * @param sortKey sorts the column; empty if the text does
   */
  record Cell(String text, String sortKey) {

    static Cell text(String text) {
      return new Cell(text, "");
    }

    static Cell count(long count) {
      return new Cell(Long.toString(count), "");
    }

    /** A number of bytes as Spark's other pages show it, sorted by its exact value. */
    static Cell bytes(long bytes) {
      return new Cell(Utils.bytesToString(bytes), Long.toString(bytes));
    }

    /** Used bytes of a capacity; a capacity of 0 is not known and not shown. */
    static Cell bytes(long usedBytes, long capacityBytes) {
      if (capacityBytes == 0) {
        return bytes(usedBytes);
      }
      return new Cell(
          Utils.bytesToString(usedBytes) + " / " + Utils.bytesToString(capacityBytes),
          Long.toString(usedBytes));
    }

    static Cell time(long atMs) {
      return new Cell(UIUtils.formatDate(atMs), Long.toString(atMs));
    }

    static Cell words(List<String> words) {
      return text(String.join(", ", words));
    }

    String toHtml() {
      String key = sortKey.isEmpty() ? "" : " sorttable_customkey=\"" + escape(sortKey) + "\"";
      return "<td" + key + ">" + escape(text) + "</td>";
    }
  }

  HtmlTable(String id, List<Column> columns) {
    this.id = id;
    this.columns = List.copyOf(columns);
  }

  void add(List<Cell> cells) {
    if (cells.size() != columns.size()) {
      throw new IllegalArgumentException(
          cells.size() + " cells for the " + columns.size() + " columns of " + id);
    }
    rows.add(List.copyOf(cells));
  }

  boolean isEmpty() {
    return rows.isEmpty();
  }

  String toHtml() {
    return "<table id=\""
        + escape(id)
        + "\" class=\""
        + UIUtils.TABLE_CLASS_STRIPED_SORTABLE()
        + "\"><thead><tr>"
        + columns.stream().map(Column::toHtml).collect(Collectors.joining())
        + "</tr></thead><tbody>"
        + rows.stream().map(HtmlTable::row).collect(Collectors.joining())
        + "</tbody></table>";
  }

  private static String row(List<Cell> cells) {
    return cells.stream().map(Cell::toHtml).collect(Collectors.joining("", "<tr>", "</tr>"));
  }

  /** The same text with markup characters escaped. */
  static String escape(String text) {
    return Utility$.MODULE$.escape(text);
  }
}
