package io.sluice.it.testrun;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/**
 * The one list of suites: the table below "Suites and lanes" in {@code CONTRIBUTING.md}. {@code
 * ./sluice test} runs the suites that it names; a test compares it with all integration tests and
 * all suites of the lab.
 *
 * <p>Immutable. Failure: {@link IllegalArgumentException} with the row that cannot be read.
 */
public final class SuiteTable {
  /** How the lanes are called that integration tests run in, on this machine itself. */
  static final String HOST_LANES = "host ";

  /** The lane of suites that run in guests. */
  static final String LAB = "lab";

  private static final String HEADER =
      "| suite | lane | `./sluice test` | `--all` adds | share, s |";

  /** Stands for every class that has no row of its own. */
  private static final String UNIT_TESTS = "unit tests, each class";

  private final List<SuiteRow> rows;

  private SuiteTable(List<SuiteRow> rows) {
    this.rows = List.copyOf(rows);
  }

  /** Reads the page. */
  static SuiteTable read(Path contributing) {
    try {
      return parse(Files.readAllLines(contributing));
    } catch (IOException e) {
      throw new UncheckedIOException("cannot read " + contributing, e);
    }
  }

  /** Finds the table among the lines of a page. */
  static SuiteTable parse(List<String> page) {
    int header = page.indexOf(HEADER);
    if (header < 0) {
      throw new IllegalArgumentException("no table of suites with the header " + HEADER);
    }
    List<SuiteRow> rows = new ArrayList<>();
    for (String line : page.subList(header + 2, page.size())) {
      if (!line.startsWith("|")) {
        break;
      }
      rows.add(parse(line));
    }
    return new SuiteTable(rows);
  }

  private static SuiteRow parse(String line) {
    String[] cells = line.substring(1).split("\\|");
    try {
      return new SuiteRow(
          cells[0].strip().replace("`", ""),
          cells[1].strip(),
          SuiteRow.Part.of(cells[2].strip()),
          SuiteRow.Part.of(cells[3].strip()),
          Integer.parseInt(cells[4].strip()));
    } catch (IllegalArgumentException | ArrayIndexOutOfBoundsException e) {
      throw new IllegalArgumentException("a row of the table of suites: " + line, e);
    }
  }

  List<SuiteRow> rows() {
    return rows;
  }

  /** Suites of a lane of which something runs, in the order of the table. */
  List<String> suites(String lane, boolean all) {
    return rows.stream()
        .filter(row -> row.lane().equals(lane) && row.runs(all))
        .map(SuiteRow::suite)
        .toList();
  }

  /**
   * All of which something has to be reported; unit tests of which only some exist are not named.
   *
   * @param refused suites and lanes that cannot run
   */
  List<String> expected(boolean all, Set<String> refused) {
    return rows.stream()
        .filter(row -> row.runs(all) && !row.suite().equals(UNIT_TESTS))
        .filter(row -> !refused.contains(row.lane()) && !refused.contains(row.suite()))
        .map(SuiteRow::suite)
        .toList();
  }

  /** Lanes in which something runs and whose name starts so, in the order of the table. */
  List<String> lanes(String prefix, boolean all) {
    return rows.stream()
        .filter(row -> row.lane().startsWith(prefix) && row.runs(all))
        .map(SuiteRow::lane)
        .distinct()
        .toList();
  }

  /** How long a suite may take; one that is not named is of unit tests. */
  int shareS(String suite) {
    return find(suite).or(() -> find(UNIT_TESTS)).map(SuiteRow::shareS).orElse(Integer.MAX_VALUE);
  }

  /** How long they may take one after the other. */
  int sharesS(List<String> suites) {
    return suites.stream().mapToInt(this::shareS).sum();
  }

  private Optional<SuiteRow> find(String suite) {
    return rows.stream().filter(row -> row.suite().equals(suite)).findFirst();
  }

  /**
   * A row of the table.
   *
   * @param suite simple name of a test class, or {@code lab NAME}
   * @param lane suites of one lane run one after the other, in one process; lanes side by side
   * @param test what of it {@code ./sluice test} runs
   * @param campaign what {@code ./sluice test --all} runs besides
   * @param shareS how long it may take in an unhurried run
   */
  record SuiteRow(String suite, String lane, Part test, Part campaign, int shareS) {
    /** How much of a suite. */
    enum Part {
      ALL("all"),
      CORE("a core"),
      REST("the rest"),
      NOTHING("–");

      private final String text;

      Part(String text) {
        this.text = text;
      }

      /** As it is written in the table. */
      String text() {
        return text;
      }

      static Part of(String text) {
        for (Part part : values()) {
          if (part.text.equals(text)) {
            return part;
          }
        }
        throw new IllegalArgumentException("'" + text + "' says no part of a suite");
      }
    }

    /** Whether some of it runs. */
    boolean runs(boolean all) {
      return test != Part.NOTHING || all;
    }
  }
}
