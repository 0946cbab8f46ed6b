package io.sluice.it.foreign;

import io.sluice.tools.text.TextTable;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;

/**
 * How a program did by Sluice, compared with stock.
 *
 * @param title the program
 * @param where one process or YARN
 * @param files that stock's run has left
 * @param lines of these files
 * @param failedRun whose run failed, {@link #STOCK} or {@link #SLUICE}; empty if both succeeded
 * @param failure how it ended; empty if both succeeded
 * @param differentFiles files that are not stock's
 * @param differentCounters counters that are not stock's, without a known cause
 * @param explainedCounters the others that are not stock's, each with its cause
 * @param stockS seconds that stock's run took
 * @param sluiceS seconds that Sluice's took; 0 if stock's failed, after which there is none
 */
public record ForeignResult(
    String title,
    String where,
    int files,
    long lines,
    String failedRun,
    String failure,
    List<String> differentFiles,
    List<String> differentCounters,
    List<String> explainedCounters,
    double stockS,
    double sluiceS) {
  /** Run by stock. */
  static final String STOCK = "stock";

  /** Run by Sluice. */
  static final String SLUICE = "Sluice";

  /** One whose run by stock failed, or did not start: there is nothing to compare with. */
  static ForeignResult failedByStock(String title, String where, String failure, double stockS) {
    return new ForeignResult(
        title, where, 0, 0, STOCK, failure, List.of(), List.of(), List.of(), stockS, 0);
  }

  /** What is wrong: a run that failed, or files or counters that differ for no known reason. */
  public List<String> problems() {
    return succeeded()
        ? Stream.concat(differentFiles.stream(), differentCounters.stream()).toList()
        : List.of(failedRun + " failed: " + failure);
  }

  boolean isOfTheSameRun(ForeignResult other) {
    return title.equals(other.title) && where.equals(other.where);
  }

  private boolean succeeded() {
    return failedRun.isEmpty();
  }

  private String output() {
    if (!succeeded()) {
      return "**%s fails**".formatted(failedRun);
    }
    return differentFiles.isEmpty()
        ? "equal: %d files, %d lines".formatted(files, lines)
        : "**%d of %d files differ**".formatted(differentFiles.size(), files);
  }

  private String counters() {
    if (!succeeded()) {
      return "–";
    }
    List<String> parts = new ArrayList<>();
    if (!differentCounters.isEmpty()) {
      parts.add("**differ**: " + String.join("; ", differentCounters));
    }
    if (!explainedCounters.isEmpty()) {
      parts.add("equal but for " + String.join("; ", explainedCounters));
    }
    return parts.isEmpty() ? "equal" : String.join("; ", parts);
  }

  /** A row for each. */
  public static TextTable table(List<ForeignResult> results) {
    TextTable table =
        new TextTable(List.of("program", "where", "output", "counters", "stock, s", "Sluice, s"));
    for (ForeignResult result : results) {
      table.add(
          List.of(
              result.title,
              result.where,
              result.output(),
              result.counters(),
              seconds(result.stockS),
              result.failedRun.equals(STOCK) ? "–" : seconds(result.sluiceS)));
    }
    return table;
  }

  private static String seconds(double s) {
    return "%.0f".formatted(s);
  }
}
