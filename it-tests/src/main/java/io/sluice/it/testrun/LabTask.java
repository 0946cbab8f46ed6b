package io.sluice.it.testrun;

import io.sluice.it.cluster.Workspace;
import io.sluice.it.lab.LabResult;
import io.sluice.it.lab.LabRun;
import io.sluice.it.lab.LabTools;
import io.sluice.it.report.Console;
import java.util.List;
import java.util.Optional;

/** One suite of the lab, in guests of its own. Failure: in its result. */
final class LabTask implements TestTask {
  private final LabRun run;
  private final Workspace workspace;
  private final LabTools tools;

  /** The run is of one suite. */
  LabTask(LabRun run, Workspace workspace, LabTools tools) {
    this.run = run;
    this.workspace = workspace;
    this.tools = tools;
  }

  /** What the suite is called in the table of suites. */
  static String suiteName(LabRun run) {
    return "lab " + name(run);
  }

  private static String name(LabRun run) {
    return run.suites().get(0) + (run.hosts() == 2 ? " --hosts 2" : "");
  }

  @Override
  public String name() {
    return name(run);
  }

  @Override
  public TaskResult run(Console console) {
    LabResult result = run.run(workspace, tools, console).get(0);
    return new TaskResult(
        name(),
        result.reports(),
        result.passed() ? Optional.empty() : Optional.of("did not pass"),
        result.details(),
        List.of(new SuiteTime(suiteName(run), result.wallMs())));
  }
}
