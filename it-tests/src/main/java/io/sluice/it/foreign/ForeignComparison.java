package io.sluice.it.foreign;

import io.sluice.it.cluster.ClusterException;
import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.Function;
import java.util.function.Supplier;

/**
 * Compares what a program leaves by stock and by Sluice, once it is sure that each has served its
 * run.
 *
 * <p>Immutable. Failure: {@link ClusterException} if stock's run fails, or was not served by stock;
 * if it is Sluice's, a result that says so.
 *
 * @param where both runs are
 * @param causes why counters differ where they do
 */
record ForeignComparison(
    ForeignProgram program, String where, List<CounterDifference.Cause> causes) {
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

  /** Runs one, then the other. */
  ForeignResult of(Way stock, Way sluice) {
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
      failedRun = ForeignResult.SLUICE;
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
}
