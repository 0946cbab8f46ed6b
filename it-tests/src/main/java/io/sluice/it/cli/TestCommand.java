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
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** {@code sluice test}: runs what the launcher has built, and says what came of it. */
@Command(
    name = "test",
    description =
        "Runs unit tests, integration tests and the lab side by side. It lists slow tests, and"
            + " skipped tests with their reasons.",
    mixinStandardHelpOptions = true)
final class TestCommand implements Callable<Integer> {
  @Mixin private SharedOptions.Install install;

  @Option(names = "--since", hidden = true, required = true)
  private long sinceEpochMs;

  @Option(names = "--commit", hidden = true, required = true)
  private String commit;

  @Option(
      names = "--all",
      description =
          "Run the long campaigns too, which take hours, and write the result into docs/results.")
  private boolean all;

  @Option(
      names = "--require-lab",
      description = "Fail where no guest can boot, instead of skipping the lab.")
  private boolean requireLab;

  @Option(
      names = "--quick",
      description =
          "Run only unit tests, without the slow ones. This takes minutes and installs nothing.")
  private boolean quick;

  @Override
  public Integer call() {
    Workspace workspace = Workspace.find();
    Console console = Console.standard();
    TestRun run =
        new TestRun(
            workspace, console, Instant.ofEpochMilli(sinceEpochMs), commit, all, requireLab);
    TestSummary summary = quick ? run.runQuickly() : run.run();
    summary.print(console);
    if (all) {
      TestRecord record = TestRecord.of(summary);
      ResultFiles results = new ResultFiles(workspace.publishedResults());
      console.say("result: " + results.json("test-all", record));
      console.say("        " + results.text("test-all.md", record.toMarkdown()));
    }
    console.say(
        summary.reports().count()
            + (quick
                ? "; left out %d slow classes of unit tests, which ./sluice test runs"
                    .formatted(run.slowClasses())
                : ""));
    return summary.passed() ? 0 : 1;
  }
}
