package io.sluice.it.foreign;

import io.sluice.tools.text.TextTable;
import java.util.List;

/**
 * How a program did by Sluice, compared with stock.
 *
 * @param title the program
 * @param where one process or YARN
 * @param files that stock's run has left
 * @param lines of these files
 * @param failure how Sluice's run ended; empty if it succeeded
 * @param differentFiles files that are not stock's
 * @param differentCounters counters that are not stock's
 * @param stockS seconds that stock's run took
 * @param sluiceS seconds that Sluice's took
 */
public record ForeignResult(
    String title,
    String where,
    int files,
    long lines,
    String failure,
    List<String> differentFiles,
    List<String> differentCounters,
    double stockS,
    double sluiceS) {

  /** What is wrong: a run that failed, or files that differ. */
  public List<String> problems() {
    return failure.isEmpty() ? differentFiles : List.of(failure);
  }

  boolean isOfTheSameRun(ForeignResult other) {
    return title.equals(other.title) && where.equals(other.where);
  }

  private String output() {
    if (!failure.isEmpty()) {
      return "**fails**";
    }
    return differentFiles.isEmpty()
        ? "equal: %d files, %d lines".formatted(files, lines)
        : "**%d of %d files differ**".formatted(differentFiles.size(), files);
  }

  private String counters() {
    if (!failure.isEmpty()) {
      return "–";
    }
    return differentCounters.isEmpty() ? "equal" : String.join("; ", differentCounters);
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
              "%.0f".formatted(result.stockS),
              "%.0f".formatted(result.sluiceS)));
    }
    return table;
  }
}
