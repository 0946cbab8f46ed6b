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
        "Measures a reader of thousands of nodes, and a node that thousands of readers ask.",
    mixinStandardHelpOptions = true)
final class CrowdBenchCommand extends MeasuringCommand {
  @Option(
      names = "--nodes",
      split = ",",
      converter = CountConverter.class,
      defaultValue = "100,500,1000,2500,5000",
      description = "How many nodes the reader reads from (default: ${DEFAULT-VALUE}).")
  private List<Integer> nodes;

  @Option(
      names = "--readers",
      split = ",",
      converter = CountConverter.class,
      defaultValue = "100,1000,2500,5000,10000",
      description = "How many readers ask the node (default: ${DEFAULT-VALUE}).")
  private List<Integer> readers;

  @Override
  void run(Workspace workspace, Console console, int rounds, ResultFiles results) {
    new CrowdBench(workspace, console, nodes, readers).run(rounds, results);
  }
}
