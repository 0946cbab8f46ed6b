package io.sluice.it.cli;

import io.sluice.bench.node.CrowdBench;
import io.sluice.bench.node.StoreScaleBench;
import io.sluice.bench.node.WaitingBench;
import io.sluice.it.cli.SharedOptions.CountConverter;
import io.sluice.it.cluster.Workspace;
import io.sluice.it.report.Console;
import io.sluice.it.report.ResultFiles;
import java.nio.file.Path;
import java.util.List;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** The benches of {@code sluice bench} of a node's service and store, without an engine. */
final class NodeBenches {
  private NodeBenches() {}

  @Command(
      name = "crowd",
      description =
          "Measures one reader of thousands of nodes, and one node that thousands of readers read from.")
  static final class Crowd extends MeasuringCommand {
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

  @Command(
      name = "store-scale",
      description =
          "Measures how long calls of a node's store take, with many outputs and with many open leases.")
  static final class StoreScale extends MeasuringCommand {
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

  @Command(name = "waiting", description = "Measures a node's service while tasks wait for memory.")
  static final class Waiting extends MeasuringCommand {
    @Option(
        names = "--tasks",
        paramLabel = "COUNT",
        split = ",",
        converter = CountConverter.class,
        defaultValue = "50,100,200",
        description = "Tasks that wait (default: ${DEFAULT-VALUE}).")
    private List<Integer> tasks;

    @Option(
        names = "--jar",
        paramLabel = "JAR",
        description =
            "Jar of sluice-tools to measure, of another release (default: the one that was built).")
    private Path jar;

    @Override
    void run(Workspace workspace, Console console, int rounds, ResultFiles results) {
      Path measured = jar == null ? workspace.toolsJar() : jar.toAbsolutePath();
      new WaitingBench(measured, console, tasks).run(rounds, results);
    }
  }
}
