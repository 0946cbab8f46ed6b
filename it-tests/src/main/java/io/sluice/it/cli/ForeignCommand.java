package io.sluice.it.cli;

import io.sluice.it.cluster.Workspace;
import io.sluice.it.foreign.ForeignProgram;
import io.sluice.it.foreign.ForeignPrograms;
import io.sluice.it.foreign.ForeignResult;
import io.sluice.it.report.Console;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code sluice foreign}: status 0 only if every program's output is stock's. */
@Command(
    name = "foreign",
    description =
        "Runs other people's programs by stock and by Sluice, and compares output and counters. It"
            + " writes the rows of these programs into docs/results/foreign.md.",
    mixinStandardHelpOptions = true)
final class ForeignCommand implements Callable<Integer> {
  @Mixin private SharedOptions.Install install;

  @Option(names = "--one-process", description = "Run only in one process, without a cluster.")
  private boolean oneProcess;

  @Parameters(
      arity = "0..*",
      paramLabel = "PROGRAM",
      description = "Programs to run: ${COMPLETION-CANDIDATES} (default: all).")
  private List<ForeignProgram> named = new ArrayList<>();

  @Override
  public Integer call() {
    Workspace workspace = Workspace.find();
    Console console = Console.standard();
    Set<ForeignProgram> programs =
        new TreeSet<>(named.isEmpty() ? List.of(ForeignProgram.values()) : named);
    List<ForeignResult> results =
        new ForeignPrograms(workspace, console).run(programs, !oneProcess);
    console.say(ForeignResult.table(results).toText());
    results.forEach(
        result -> result.problems().forEach(what -> console.say(result.title() + ": " + what)));
    console.say("results: " + ForeignPrograms.publish(workspace.publishedResults(), results));
    return results.stream().allMatch(result -> result.problems().isEmpty()) ? 0 : 1;
  }
}
