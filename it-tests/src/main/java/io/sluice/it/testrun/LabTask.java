package io.sluice.it.testrun;

import io.sluice.it.cluster.Workspace;
import io.sluice.it.lab.LabResult;
import io.sluice.it.lab.LabTools;
import io.sluice.it.lab.run.LabRun;
import io.sluice.it.report.Console;
import java.util.List;

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
    return "lab " + run.suites().get(0) + (run.hosts() == 2 ? " --hosts 2" : "");
  }

  /** Not the suite's id alone: lanes of this machine are called so too. */
  @Override
  public String name() {
    return suiteName(run);
  }

  @Override
  public int memoryMb() {
    return run.memoryMb();
  }

  @Override
  public TaskResult run(Console console) {
    LabResult result = run.run(workspace, tools, console).get(0);
    return new TaskResult(
        name(),
        result.reports(),
        result.problem(),
        result.details(),
        List.of(new SuiteTime(suiteName(run), result.wallMs())));
  }
}
