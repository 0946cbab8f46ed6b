package io.sluice.it.cli;

import io.sluice.it.cluster.Workspace;
import io.sluice.it.lab.LabRun;
import io.sluice.it.lab.LabSummary;
import io.sluice.it.lab.LabTools;
import io.sluice.it.report.Console;
import io.sluice.it.report.TestReports;
import java.time.Instant;
import java.util.Optional;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** {@code sluice test}: the script runs Maven, this runs the lab and tells what came of both. */
@Command(
    name = "test",
    description =
        "Runs all unit and integration tests and the lab, and lists what was skipped, with reasons.",
    mixinStandardHelpOptions = true)
final class TestCommand implements Callable<Integer> {
  @Option(names = "--since", hidden = true, required = true)
  private long sinceEpochMs;

  @Option(names = "--maven-status", hidden = true, required = true)
  private int mavenStatus;

  @Option(
      names = "--require-lab",
      description = "Fail where no guest can be booted, instead of skipping the lab.")
  private boolean requireLab;

  @Override
  public Integer call() {
    Workspace workspace = Workspace.find();
    Console console = Console.standard();
    TestReports reports = TestReports.read(workspace.root(), Instant.ofEpochMilli(sinceEpochMs));
    LabTools tools = LabTools.find(workspace);
    Optional<String> cause = tools.cause();
    boolean labPassed = !requireLab;
    if (cause.isEmpty()) {
      LabSummary lab = new LabSummary(LabRun.ofTest().run(workspace, tools, console));
      lab.print(console);
      labPassed = lab.passed();
      reports = reports.with(lab.reports());
    }
    reports.failed().forEach(test -> console.say("FAILED:  " + test));
    reports.skipped().forEach(test -> console.say("SKIPPED: " + test));
    cause.ifPresent(why -> console.say((requireLab ? "FAILED:  lab: " : "SKIPPED: lab: ") + why));
    if (mavenStatus != 0) {
      console.say("Maven ended with exit status " + mavenStatus);
    }
    console.say(reports.count());
    boolean passed = reports.failed().isEmpty() && reports.passed() > 0;
    return mavenStatus == 0 && labPassed && passed ? 0 : 1;
  }
}
