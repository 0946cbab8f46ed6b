package io.sluice.spark.ui;

import java.util.List;
import org.apache.spark.ui.UIUtils;
import org.apache.spark.util.Utils;

/**
 * One cell of a table.
 *
 * @param text what is seen, not escaped yet
 * @param sortKey by what the column is sorted; empty for the text itself
 */
record Cell(String text, String sortKey) {

  static Cell text(String text) {
    return new Cell(text, "");
  }

  static Cell count(long count) {
    return new Cell(Long.toString(count), "");
  }

  /** A number of bytes as Spark's other pages show it, sorted by what it is exactly. */
  static Cell bytes(long bytes) {
    return new Cell(Utils.bytesToString(bytes), Long.toString(bytes));
  }

  /** Some of at most so many bytes; a capacity of 0 is none that is known. */
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
    String key = sortKey.isEmpty() ? "" : " sorttable_customkey=\"" + Html.escape(sortKey) + "\"";
    return "<td" + key + ">" + Html.escape(text) + "</td>";
  }
}
