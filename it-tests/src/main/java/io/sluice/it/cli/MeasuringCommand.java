package io.sluice.it.cli;

import io.sluice.it.cluster.Workspace;
import io.sluice.it.report.Console;
import io.sluice.it.report.ResultFiles;
import java.util.concurrent.Callable;
import picocli.CommandLine.Mixin;

/** A bench with rounds, whose results go to the workspace. */
abstract class MeasuringCommand implements Callable<Integer> {
  @Mixin private RunsOption runs;

  /** Runs the bench; a failure is an exception. */
  abstract void run(Workspace workspace, Console console, int rounds, ResultFiles results)
      throws Exception;

  @Override
  public final Integer call() throws Exception {
    Workspace workspace = Workspace.find();
    run(workspace, Console.standard(), runs.count(), new ResultFiles(workspace.results()));
    return 0;
  }
}
