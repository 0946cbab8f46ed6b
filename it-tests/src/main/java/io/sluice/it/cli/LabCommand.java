package io.sluice.it.cli;

import io.sluice.it.cluster.Workspace;
import io.sluice.it.lab.Lab;
import io.sluice.it.lab.LabResult;
import io.sluice.it.lab.LabSuite;
import io.sluice.it.lab.LabTools;
import io.sluice.it.lab.plugs.PulledPlugs;
import io.sluice.it.report.Console;
import io.sluice.it.report.TextTable;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

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
      description =
          "transport, store, plugs, or shell for a shell in the guest; all suites if none.")
  private List<String> suites = new ArrayList<>();

  @Option(names = "--kvm", description = "Use KVM, which is faster where it works.")
  private boolean kvm;

  @Option(
      names = "--require",
      description = "Fail where no guest can be booted, instead of skipping.")
  private boolean require;

  @Option(
      names = "--kills",
      defaultValue = "10",
      description = "How often plugs kills its guest (default: ${DEFAULT-VALUE}).")
  private int kills;

  @Option(names = "--seed", description = "Repeats what plugs drew in another run.")
  private long seed = System.nanoTime();

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
    Lab lab = new Lab(workspace, tools, console, kvm);
    if (suites.equals(List.of("shell"))) {
      return lab.shell();
    }
    List<LabResult> results = new ArrayList<>();
    for (LabSuite suite : chosen()) {
      results.add(lab.run(suite));
    }
    if (suites.isEmpty() || suites.contains(PulledPlugs.ID)) {
      results.add(new PulledPlugs(lab, console, kills, seed).run());
    }
    return summary(console, results);
  }

  private List<LabSuite> chosen() {
    return suites.isEmpty()
        ? List.of(LabSuite.values())
        : suites.stream().filter(id -> !id.equals(PulledPlugs.ID)).map(LabSuite::of).toList();
  }

  private static int summary(Console console, List<LabResult> results) {
    TextTable table =
        new TextTable(List.of("suite", "passed", "failed", "skipped", "seconds", "result"));
    for (LabResult result : results) {
      table.add(
          List.of(
              result.id(),
              Integer.toString(result.reports().passed()),
              Integer.toString(result.reports().failed().size()),
              Integer.toString(result.reports().skipped().size()),
              "%.0f".formatted(result.wallMs() / 1e3),
              result.passed() ? "passed" : "FAILED"));
    }
    console.say("");
    for (LabResult result : results) {
      result.reports().failed().forEach(test -> console.say("FAILED:  " + test));
      result.reports().skipped().forEach(test -> console.say("SKIPPED: " + test));
    }
    console.say(table.toText());
    return results.stream().allMatch(LabResult::passed) ? 0 : 1;
  }
}
