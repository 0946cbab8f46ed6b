package io.sluice.it.cli;

import io.sluice.it.cluster.Workspace;
import io.sluice.it.report.Console;
import io.sluice.it.report.TestReports;
import io.sluice.it.spark.SparkSuites;
import io.sluice.it.spark.SparkSuites.SparkSuiteResult;
import io.sluice.it.spark.suites.Exclusions;
import io.sluice.it.spark.suites.ListedSuite;
import io.sluice.tools.text.TextTable;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** {@code sluice spark-suites}: status 0 only if every suite passed. */
@Command(
    name = "spark-suites",
    description = "Runs Spark's own published test suites with Sluice as the shuffle manager.",
    mixinStandardHelpOptions = true)
final class SparkSuitesCommand implements Callable<Integer> {
  @Mixin private SharedOptions.Install install;

  @Spec private CommandSpec spec;

  @Parameters(
      arity = "0..*",
      paramLabel = "SUITE",
      completionCandidates = Suites.class,
      description = "Suites to run: ${COMPLETION-CANDIDATES} (default: all).")
  private List<String> names = new ArrayList<>();

  /** For the usage text. */
  static final class Suites extends ArrayList<String> {
    private static final long serialVersionUID = 1L;

    Suites() {
      super(ListedSuite.all().stream().map(ListedSuite::simpleName).toList());
    }
  }

  @Override
  public Integer call() {
    Console console = Console.standard();
    List<SparkSuiteResult> results = new ArrayList<>();
    try (SparkSuites suites = new SparkSuites(Workspace.find())) {
      for (ListedSuite suite : chosen()) {
        results.add(console.step(suite.simpleName(), () -> suites.run(suite)));
      }
    }
    console.say("");
    console.say(table(results).toText());
    TestReports reports =
        results.stream()
            .map(SparkSuiteResult::reports)
            .reduce(new TestReports(List.of()), TestReports::with);
    reports.failed().forEach(test -> console.say("FAILED:  " + test));
    TestReports.inShort(reports.skippedByReason()).forEach(line -> console.say("SKIPPED: " + line));
    console.say(reports.count());
    return reports.failed().isEmpty() && reports.passed() > 0 ? 0 : 1;
  }

  private List<ListedSuite> chosen() {
    Set<String> unknown = new TreeSet<>(String.CASE_INSENSITIVE_ORDER);
    unknown.addAll(names);
    List<ListedSuite> chosen =
        ListedSuite.all().stream()
            .filter(suite -> names.isEmpty() || unknown.remove(suite.simpleName()))
            .toList();
    if (!unknown.isEmpty()) {
      throw new ParameterException(spec.commandLine(), "no such suite: " + unknown);
    }
    return chosen;
  }

  private static TextTable table(List<SparkSuiteResult> results) {
    Exclusions exclusions = Exclusions.load();
    TextTable table =
        new TextTable(
            List.of(
                "suite", "passed", "failed", "excluded", "ignored in Spark", "pooled", "seconds"));
    for (SparkSuiteResult result : results) {
      int excluded = exclusions.of(result.suite().className()).size();
      table.add(
          List.of(
              result.suite().simpleName(),
              Integer.toString(result.reports().passed()),
              Integer.toString(result.reports().failed().size()),
              Integer.toString(excluded),
              Integer.toString(Math.max(0, result.reports().skipped().size() - excluded)),
              "%.1f MB".formatted(result.evidence().pooledBytes() / 1e6),
              "%.0f".formatted(result.seconds())));
    }
    return table;
  }
}
