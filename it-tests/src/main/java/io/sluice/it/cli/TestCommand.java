package io.sluice.it.cli;

import io.sluice.it.cluster.Workspace;
import io.sluice.it.report.Console;
import io.sluice.it.report.TestReports;
import java.time.Instant;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** {@code sluice test}: the script runs Maven, this tells what came of it. */
@Command(
    name = "test",
    description =
        "Runs all unit and integration tests and lists those that were skipped, with reasons.",
    mixinStandardHelpOptions = true)
final class TestCommand implements Callable<Integer> {
  @Option(names = "--since", hidden = true, required = true)
  private long sinceEpochMs;

  @Option(names = "--maven-status", hidden = true, required = true)
  private int mavenStatus;

  @Override
  public Integer call() {
    TestReports reports =
        TestReports.read(Workspace.find().root(), Instant.ofEpochMilli(sinceEpochMs));
    Console console = Console.standard();
    console.say("");
    reports.failed().forEach(test -> console.say("FAILED:  " + test));
    reports.skipped().forEach(test -> console.say("SKIPPED: " + test));
    if (mavenStatus != 0) {
      console.say("Maven ended with exit status " + mavenStatus);
    }
    console.say(
        "%d passed, %d failed, %d skipped"
            .formatted(reports.passed(), reports.failed().size(), reports.skipped().size()));
    return mavenStatus == 0 && reports.failed().isEmpty() && reports.passed() > 0 ? 0 : 1;
  }
}
