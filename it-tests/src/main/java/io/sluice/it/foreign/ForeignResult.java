package io.sluice.it.foreign;

import io.sluice.it.cluster.ClusterException;
import io.sluice.it.foreign.ForeignOutput.CounterDifference;
import io.sluice.it.foreign.ForeignOutput.CounterDifference.Cause;
import io.sluice.tools.text.TextTable;
import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.Function;
import java.util.function.Supplier;
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

  /**
   * Runs a program by stock, then by Sluice, and compares what they leave, once each has surely
   * served its run. Failure: {@link ClusterException} if stock's run fails, or was not served by
   * stock; if Sluice's is so, a result that says it.
   *
   * @param causes why counters differ where they do
   */
  static ForeignResult compare(
      ForeignProgram program, String where, List<Cause> causes, Way stock, Way sluice) {
    long startNs = System.nanoTime();
    ForeignOutput expected = stock.output();
    if (expected.lines() == 0 || expected.printed().counters().isEmpty()) {
      throw new ClusterException(program + " left no output, or printed no counters");
    }
    long stockNs = System.nanoTime();
    Optional<ForeignOutput> found = Optional.empty();
    String failedRun = "";
    String failure = "";
    try {
      found = Optional.of(sluice.output());
    } catch (ClusterException | UncheckedIOException e) {
      failedRun = SLUICE;
      failure = e.getMessage();
    }
    List<String> unexplained = new ArrayList<>();
    List<String> explained = new ArrayList<>();
    for (CounterDifference each : found.map(expected::differentCounters).orElse(List.of())) {
      causes.stream()
          .filter(cause -> cause.explains(each))
          .findFirst()
          .ifPresentOrElse(
              cause -> explained.add("%s: %s".formatted(each, cause.why())),
              () -> unexplained.add(each.toString()));
    }
    return new ForeignResult(
        program.title(),
        where,
        expected.files().size(),
        expected.lines(),
        failedRun,
        failure,
        found.map(expected::differentFiles).orElse(List.of()),
        unexplained,
        explained,
        (stockNs - startNs) / 1e9,
        (System.nanoTime() - stockNs) / 1e9);
  }

  /** A run that failed, or files and counters that differ for no known reason. */
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

  /**
   * One of the two ways to run it.
   *
   * @param run what it leaves
   * @param doubts why it was not served as it should be
   */
  record Way(Supplier<ForeignOutput> run, Function<PrintedJobs, List<String>> doubts) {
    ForeignOutput output() {
      ForeignOutput output = run.get();
      List<String> all = doubts.apply(output.printed());
      if (!all.isEmpty()) {
        throw new ClusterException(String.join("; ", all));
      }
      return output;
    }
  }
}
