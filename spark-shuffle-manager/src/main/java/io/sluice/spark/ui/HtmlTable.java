package io.sluice.spark.ui;

import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;
import org.apache.spark.ui.UIUtils;

/**
 * A table that looks, and is sorted by a click, like those of Spark's other pages.
 *
 * <p>Thread contract: one thread.
 */
final class HtmlTable {
  private final String id;
  private final List<Column> columns;
  private final List<List<Cell>> rows = new ArrayList<>();

  /**
   * What stands above a column.
   *
   * @param title in a word or two
   * @param meaning in a sentence, which is seen when the mouse is over it
   */
  record Column(String title, String meaning) {
    String toHtml() {
      return "<th><span data-bs-toggle=\"tooltip\" data-toggle=\"tooltip\" title=\""
          + Html.escape(meaning)
          + "\">"
          + Html.escape(title)
          + "</span></th>";
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
        + Html.escape(id)
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
}
