package io.sluice.it.cli;

import io.sluice.it.cluster.Workspace;
import io.sluice.it.report.Console;
import io.sluice.tools.text.TextTable;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.TimeUnit;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** {@code sluice bench all}. */
@Command(
    name = "all",
    description = "Runs all benches one after the other, except micro.",
    mixinStandardHelpOptions = true)
final class AllBenchCommand implements Callable<Integer> {
  private static final int OK = 0;

  @Option(
      names = "--quick",
      description =
          "Run each once on little data: less than 20 minutes instead of most of a day. This shows"
              + " that they run and that outputs agree; its figures mean nothing.")
  private boolean quick;

  @Spec private CommandSpec spec;

  private double expectedS; // of what has gone well, and what that took
  private double tookS;

  @Override
  public Integer call() {
    if (quick) { // beside what has been measured in full
      Path place = Workspace.find().results().resolve("quick");
      System.setProperty(Workspace.RESULTS, place.toString());
    }
    Console console = Console.standard();
    Map<BenchSuite, String> outcomes = new EnumMap<>(BenchSuite.class);
    List<BenchSuite> suites = new ArrayList<>();
    for (BenchSuite suite : BenchSuite.values()) {
      suite
          .unavailableBecause(quick)
          .ifPresentOrElse(why -> outcomes.put(suite, "left out: " + why), () -> suites.add(suite));
    }
    boolean failed = false;
    for (int i = 0; i < suites.size(); i++) {
      BenchSuite suite = suites.get(i);
      console.say(
          "%n== %d of %d: %s; %s left"
              .formatted(
                  i + 1,
                  suites.size(),
                  suite.title(quick),
                  minutes(leftS(suites.subList(i, suites.size())))));
      long startNs = System.nanoTime();
      int status = run(suite);
      double suiteS = secondsSince(startNs);
      if (status == OK) {
        expectedS += suite.expectedS(quick);
        tookS += suiteS;
      }
      failed |= status != OK;
      outcomes.put(suite, (status == OK ? "" : "FAILED after ") + minutes(suiteS));
    }
    console.say("\n" + table(outcomes).toText());
    console.say("results: " + Workspace.find().results());
    return failed ? 1 : OK;
  }

  private int run(BenchSuite suite) {
    return CommandLines.of(spec.parent().userObject().getClass()) // it knows this one
        .execute(suite.arguments(quick).toArray(String[]::new));
  }

  /** At the pace so far. */
  private double leftS(List<BenchSuite> suites) {
    double leftS = suites.stream().mapToInt(suite -> suite.expectedS(quick)).sum();
    return expectedS == 0 ? leftS : leftS * tookS / expectedS;
  }

  private static double secondsSince(long startNs) {
    return (double) (System.nanoTime() - startNs) / TimeUnit.SECONDS.toNanos(1);
  }

  private static String minutes(double seconds) {
    return "%.1f min".formatted(seconds / TimeUnit.MINUTES.toSeconds(1));
  }

  private TextTable table(Map<BenchSuite, String> outcomes) {
    TextTable table = new TextTable(List.of("suite", "took"));
    outcomes.forEach((suite, outcome) -> table.add(List.of(suite.title(quick), outcome)));
    return table;
  }
}
