package io.sluice.it.cli;

import io.sluice.it.cluster.Workspace;
import io.sluice.it.report.Console;
import io.sluice.it.report.ResultFiles;
import io.sluice.it.testrun.TestRecord;
import io.sluice.it.testrun.TestRun;
import io.sluice.it.testrun.TestSummary;
import java.time.Instant;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** {@code sluice test}: the script has built everything, this runs it and tells what came of it. */
@Command(
    name = "test",
    description =
        "Runs unit tests, integration tests and the lab side by side, and lists what was slow or"
            + " skipped, with reasons.",
    mixinStandardHelpOptions = true)
final class TestCommand implements Callable<Integer> {
  @Option(names = "--since", hidden = true, required = true)
  private long sinceEpochMs;

  @Option(names = "--commit", hidden = true, required = true)
  private String commit;

  @Option(
      names = "--all",
      description = "Run the long campaigns too, in hours, and write the result into docs/results.")
  private boolean all;

  @Option(
      names = "--require-lab",
      description = "Fail where no guest can be booted, instead of skipping the lab.")
  private boolean requireLab;

  @Override
  public Integer call() {
    Workspace workspace = Workspace.find();
    Console console = Console.standard();
    TestSummary summary =
        new TestRun(workspace, console, Instant.ofEpochMilli(sinceEpochMs), commit, all, requireLab)
            .run();
    summary.print(console);
    if (all) {
      TestRecord record = TestRecord.of(summary);
      ResultFiles results = new ResultFiles(workspace.publishedResults());
      console.say("result: " + results.json("test-all", record));
      console.say("        " + results.text("test-all.md", record.toMarkdown()));
    }
    console.say(summary.reports().count());
    return summary.passed() ? 0 : 1;
  }
}
