package io.sluice.it.cli;

import io.sluice.it.cluster.Workspace;
import io.sluice.it.lab.Lab;
import io.sluice.it.lab.LabResult;
import io.sluice.it.lab.LabTools;
import io.sluice.it.report.Console;
import io.sluice.it.report.TestReports;
import io.sluice.it.testrun.LabRun;
import io.sluice.tools.text.TextTable;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code sluice lab}: status 0 only if every suite passed. */
@Command(
    name = "lab",
    description =
        "Runs suites over RDMA verbs and persistent memory in a QEMU guest on this machine.",
    mixinStandardHelpOptions = true)
final class LabCommand implements Callable<Integer> {
  private static final String SHELL = "shell";

  @Mixin private SharedOptions.Install install;

  @Parameters(
      arity = "0..*",
      paramLabel = "SUITE",
      completionCandidates = Suites.class,
      description =
          "Suites to run: ${COMPLETION-CANDIDATES} (default: all); or shell, which opens a shell in the guest.")
  private List<String> suites = new ArrayList<>();

  @Option(
      names = "--hosts",
      paramLabel = "COUNT",
      defaultValue = "1",
      description =
          "Number of guests: 1, or 2 that a virtual wire joins (default: ${DEFAULT-VALUE}).")
  private int hosts;

  @Option(names = "--kvm", description = "Use KVM, which is faster where it works.")
  private boolean kvm;

  @Option(
      names = "--require",
      description = "Fail where no guest can boot, instead of skipping the lab.")
  private boolean require;

  @Option(
      names = "--kills",
      paramLabel = "COUNT",
      defaultValue = LabRun.DEFAULT_KILLS,
      description = "How often the suite plugs kills its guest (default: ${DEFAULT-VALUE}).")
  private int kills;

  @Option(
      names = "--seed",
      paramLabel = "SEED",
      description =
          "Seed of the suite plugs, which prints it: it repeats the moments of an earlier run.")
  private long seed = System.nanoTime();

  /** For the usage text. */
  static final class Suites extends ArrayList<String> {
    private static final long serialVersionUID = 1L;

    Suites() {
      super(LabRun.ids(1));
    }
  }

  @Override
  public Integer call() {
    Workspace workspace = Workspace.find();
    Console console = Console.standard();
    LabTools tools = LabTools.find(workspace);
    if (refused("lab", tools.cause(), require, console)) {
      return require ? 1 : 0;
    }
    if (suites.size() == 1 && suites.get(0).equalsIgnoreCase(SHELL)) {
      return new Lab(workspace, tools, console, kvm).shell();
    }
    List<String> chosen =
        suites.isEmpty()
            ? LabRun.ids(hosts)
            : suites.stream().map(suite -> suite.toLowerCase(Locale.ROOT)).toList();
    boolean needsAll = require && !suites.isEmpty(); // a suite that nobody named may be left out
    List<String> possible =
        chosen.stream()
            .filter(
                id -> !refused("lab " + id, LabRun.tools(id, workspace).cause(), needsAll, console))
            .toList();
    if (possible.isEmpty() || needsAll && possible.size() < chosen.size()) {
      return require ? 1 : 0;
    }
    List<LabResult> results =
        new LabRun(possible, hosts, kvm, true, kills, seed).run(workspace, console);
    print(results, console);
    return results.stream().allMatch(LabResult::passed) ? 0 : 1;
  }

  /** Whether it cannot run, which is said. */
  private static boolean refused(
      String what, Optional<String> cause, boolean fails, Console console) {
    cause.ifPresent(
        why -> console.say("%s %s: %s".formatted(fails ? "FAILED: " : "SKIPPED:", what, why)));
    return cause.isPresent();
  }

  /** Prints what was injected and counted, a table of the suites, and the tests' results. */
  private static void print(List<LabResult> results, Console console) {
    console.say("");
    TextTable table =
        new TextTable(List.of("suite", "passed", "failed", "skipped", "seconds", "result"));
    TestReports all = new TestReports(List.of());
    for (LabResult result : results) {
      TestReports reports = result.reports();
      result.details().forEach(detail -> console.say("  %s: %s".formatted(result.id(), detail)));
      table.add(
          List.of(
              result.id(),
              Integer.toString(reports.passed()),
              Integer.toString(reports.failed().size()),
              Integer.toString(reports.skipped().size()),
              "%.0f".formatted(result.wallMs() / 1e3),
              result.passed() ? "passed" : "FAILED"));
      all = all.with(reports);
    }
    for (LabResult result : results) {
      result.problem().ifPresent(why -> console.say("FAILED:  " + result.id() + ": " + why));
    }
    console.say("");
    console.say(table.toText());
    all.failed().forEach(test -> console.say("FAILED:  " + test));
    TestReports.inShort(all.skippedByReason()).forEach(line -> console.say("SKIPPED: " + line));
    console.say(all.count());
  }
}
