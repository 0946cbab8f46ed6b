package io.sluice.it.cli;

import io.sluice.bench.node.StoreScaleBench;
import io.sluice.it.cluster.Workspace;
import io.sluice.it.report.Console;
import io.sluice.it.report.ResultFiles;
import java.nio.file.Path;
import java.util.List;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** {@code sluice bench store-scale}. */
@Command(
    name = "store-scale",
    description =
        "Measures how long calls of a node's store take, with many outputs and with many open leases.",
    mixinStandardHelpOptions = true)
final class StoreScaleBenchCommand extends MeasuringCommand {
  @Option(
      names = "--outputs",
      paramLabel = "COUNT",
      split = ",",
      converter = CountConverter.class,
      defaultValue = "100,1000,10000,100000",
      description = "Outputs in the store (default: ${DEFAULT-VALUE}).")
  private List<Integer> outputs;

  @Option(
      names = "--leases",
      paramLabel = "COUNT",
      split = ",",
      converter = CountConverter.class,
      defaultValue = "10,100,1000,10000",
      description = "Open leases (default: ${DEFAULT-VALUE}).")
  private List<Integer> leases;

  @Option(
      names = "--dir",
      paramLabel = "DIR",
      defaultValue = "/dev/shm",
      description =
          "Directory for pools, which the bench deletes at its end (default: ${DEFAULT-VALUE}).")
  private Path directory;

  @Override
  void run(Workspace workspace, Console console, int rounds, ResultFiles results) {
    new StoreScaleBench(console, directory, outputs, leases).run(rounds, results);
  }
}
