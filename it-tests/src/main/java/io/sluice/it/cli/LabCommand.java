package io.sluice.it.cli;

import io.sluice.it.cluster.Workspace;
import io.sluice.it.lab.Lab;
import io.sluice.it.lab.LabSuite;
import io.sluice.it.lab.LabTools;
import io.sluice.it.lab.SuiteResult;
import io.sluice.it.report.Console;
import io.sluice.it.report.TextTable;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Callable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** {@code sluice lab}: status 0 only if every suite passed. */
@Command(
    name = "lab",
    description =
        "Runs suites over real verbs and real persistent memory in a QEMU guest on this machine.",
    mixinStandardHelpOptions = true)
final class LabCommand implements Callable<Integer> {
  @Parameters(
      arity = "0..*",
      paramLabel = "SUITE",
      description = "transport, store, or shell for a shell in the guest; all suites if none.")
  private List<String> suites = new ArrayList<>();

  @Option(
      names = "--hosts",
      defaultValue = "1",
      description = "1, or 2 guests joined by a virtual wire (default: ${DEFAULT-VALUE}).")
  private int hosts;

  @Option(names = "--kvm", description = "Use KVM, which is faster where it works.")
  private boolean kvm;

  @Option(
      names = "--require",
      description = "Fail where no guest can be booted, instead of skipping.")
  private boolean require;

  @Spec private CommandSpec specification;

  @Override
  public Integer call() {
    Workspace workspace = Workspace.find();
    Console console = Console.standard();
    LabTools tools = LabTools.find(workspace);
    Optional<String> cause = tools.cause();
    if (cause.isPresent()) {
      console.say((require ? "FAILED:  lab: " : "SKIPPED: lab: ") + cause.get());
      return require ? 1 : 0;
    }
    if (hosts != 1 && hosts != 2) {
      throw new CommandLine.ParameterException(
          specification.commandLine(), "--hosts must be 1 or 2, is " + hosts);
    }
    Lab lab = new Lab(workspace, tools, console, kvm);
    if (suites.equals(List.of("shell"))) {
      return lab.shell();
    }
    List<LabSuite> chosen =
        suites.isEmpty() ? List.of(LabSuite.values()) : suites.stream().map(LabSuite::of).toList();
    List<SuiteResult> results = chosen.stream().map(suite -> run(lab, suite)).toList();
    return summary(console, results);
  }

  private SuiteResult run(Lab lab, LabSuite suite) {
    return hosts == 2 ? lab.runOnTwoHosts(suite) : lab.run(suite);
  }

  private static int summary(Console console, List<SuiteResult> results) {
    TextTable table =
        new TextTable(List.of("suite", "passed", "failed", "skipped", "seconds", "result"));
    for (SuiteResult result : results) {
      table.add(
          List.of(
              result.suite().id(),
              Integer.toString(result.reports().passed()),
              Integer.toString(result.reports().failed().size()),
              Integer.toString(result.reports().skipped().size()),
              "%.0f".formatted(result.wallMs() / 1e3),
              result.passed() ? "passed" : "FAILED"));
    }
    console.say("");
    for (SuiteResult result : results) {
      result.reports().failed().forEach(test -> console.say("FAILED:  " + test));
      result.reports().skipped().forEach(test -> console.say("SKIPPED: " + test));
    }
    console.say(table.toText());
    return results.stream().allMatch(SuiteResult::passed) ? 0 : 1;
  }
}
