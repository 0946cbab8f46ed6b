package io.sluice.it.cli;

import io.sluice.bench.node.CrowdBench;
import io.sluice.it.cluster.Workspace;
import io.sluice.it.report.Console;
import io.sluice.it.report.ResultFiles;
import java.util.List;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** {@code sluice bench crowd}. */
@Command(
    name = "crowd",
    description =
        "Measures one reader of thousands of nodes, and one node that thousands of readers read from.",
    mixinStandardHelpOptions = true)
final class CrowdBenchCommand extends MeasuringCommand {
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

  @Override
  void run(Workspace workspace, Console console, int rounds, ResultFiles results) {
    new CrowdBench(workspace, console, nodes, readers).run(rounds, results);
  }
}
