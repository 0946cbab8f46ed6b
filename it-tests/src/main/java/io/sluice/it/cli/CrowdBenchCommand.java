package io.sluice.it.cli;

import io.sluice.bench.crowd.CrowdBench;
import io.sluice.it.cluster.Workspace;
import io.sluice.it.report.Console;
import io.sluice.it.report.ResultFiles;
import java.util.List;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** {@code sluice bench crowd}. */
@Command(
    name = "crowd",
    description =
        "Measures one reader of thousands of nodes, and one node that thousands of readers read from.",
    mixinStandardHelpOptions = true)
final class CrowdBenchCommand implements Callable<Integer> {
  @Option(
      names = "--nodes",
      paramLabel = "COUNT",
      split = ",",
      converter = CountConverter.class,
      defaultValue = "100,500,1000,2500,5000",
      description = "Nodes that the reader reads from (default: ${DEFAULT-VALUE}).")
  private List<Integer> nodes;

  @Option(
      names = "--readers",
      paramLabel = "COUNT",
      split = ",",
      converter = CountConverter.class,
      defaultValue = "100,1000,2500,5000,10000",
      description = "Readers that read from the node (default: ${DEFAULT-VALUE}).")
  private List<Integer> readers;

  @Mixin private RunsOption runs;

  @Override
  public Integer call() {
    Workspace workspace = Workspace.find();
    new CrowdBench(workspace, Console.standard(), nodes, readers)
        .run(runs.count(), new ResultFiles(workspace.results()));
    return 0;
  }
}
