package io.sluice.tools.text;

import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/** A table of text, for a terminal or for Markdown. Thread contract: one thread. */
public final class TextTable {
  private final List<List<String>> rows = new ArrayList<>();

  public TextTable(List<String> header) {
    rows.add(List.copyOf(header));
  }

  public void add(List<String> row) {
    if (row.size() != rows.get(0).size()) {
      throw new IllegalArgumentException(
          "a row of %s cells in a table of %s columns: %s"
              .formatted(row.size(), rows.get(0).size(), row));
    }
    rows.add(List.copyOf(row));
  }

  /** The table for a terminal: columns aligned with blanks, a line below the header. */
  public String toText() {
    List<Integer> widths =
        IntStream.range(0, rows.get(0).size())
            .mapToObj(column -> rows.stream().mapToInt(row -> row.get(column).length()).max())
            .map(widest -> Math.max(1, widest.orElse(0))) // a format has no width 0
            .toList();
    List<String> lines =
        rows.stream()
            .map(row -> line(row, widths))
            .collect(Collectors.toCollection(ArrayList::new));
    lines.add(1, "-".repeat(lines.get(0).length()));
    return String.join("\n", lines) + "\n";
  }

  public String toMarkdown() {
    List<String> lines =
        rows.stream()
            .map(row -> "| " + String.join(" | ", row) + " |")
            .collect(Collectors.toCollection(ArrayList::new));
    lines.add(1, "|---".repeat(rows.get(0).size()) + "|");
    return String.join("\n", lines) + "\n";
  }

  private static String line(List<String> row, List<Integer> widths) {
    return IntStream.range(0, row.size())
        .mapToObj(
            column ->
                (column == 0 ? "%-" + widths.get(0) + "s" : "%" + widths.get(column) + "s")
                    .formatted(row.get(column)))
        .collect(Collectors.joining("  "));
  }
}
