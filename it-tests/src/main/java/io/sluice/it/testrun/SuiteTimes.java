package io.sluice.it.testrun;

import io.sluice.it.report.Console;
import io.sluice.tools.text.TextTable;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** How long each suite took, and whether that was more than its share. Immutable. */
public final class SuiteTimes {
  /** Of those below, most of them unit tests, only the sum is told. */
  private static final long SHORT_MS = 5_000;

  /** Marks a suite that took longer than its share, where there are no colours. */
  private static final String SLOW = "SLOW";

  private final List<Row> rows;

  /**
   * One suite.
   *
   * @param suite its name in the table of suites
   * @param seconds it took
   * @param shareS it may take
   */
  public record Row(String suite, double seconds, int shareS) {
    /** Fails nothing, but is printed in red. */
    public boolean slow() {
      return seconds > shareS;
    }
  }

  SuiteTimes(List<SuiteTime> times, SuiteTable table) {
    Map<String, Long> wallMs = new LinkedHashMap<>();
    times.forEach(time -> wallMs.merge(time.suite(), time.wallMs(), Long::sum));
    List<Row> sorted = new ArrayList<>();
    wallMs.forEach((suite, ms) -> sorted.add(new Row(suite, ms / 1e3, table.shareS(suite))));
    sorted.sort(Comparator.comparing(Row::seconds).reversed());
    this.rows = List.copyOf(sorted);
  }

  /** Slowest first. */
  public List<Row> rows() {
    return rows;
  }

  /** The slow ones are red, and marked for where nothing is. */
  void print(Console console) {
    List<Row> shown = rows.stream().filter(SuiteTimes::isShown).toList();
    List<Row> others = rows.stream().filter(row -> !isShown(row)).toList();
    TextTable table = new TextTable(List.of("suite", "seconds", "share", ""));
    for (Row row : shown) {
      table.add(
          List.of(
              row.suite(),
              "%.0f".formatted(row.seconds()),
              Integer.toString(row.shareS()),
              row.slow() ? SLOW : ""));
    }
    double seconds = others.stream().mapToDouble(Row::seconds).sum();
    table.add(List.of(others.size() + " others", "%.0f".formatted(seconds), "", ""));
    table
        .toText()
        .lines()
        .forEach(
            line -> console.say(line.endsWith(SLOW) ? console.red(line) : line.stripTrailing()));
    console.say("");
  }

  private static boolean isShown(Row row) {
    return row.slow() || row.seconds() * 1e3 >= SHORT_MS;
  }
}
