package io.sluice.it.cli;

import io.sluice.bench.hadoop.HadoopBench;
import io.sluice.it.cluster.PseudoCluster;
import io.sluice.it.cluster.Workspace;
import io.sluice.it.report.Console;
import io.sluice.it.report.ResultFiles;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** {@code sluice bench}. */
@Command(
    name = "bench",
    description =
        "Measures TeraSort stock, tuned and through Sluice, without and with its archive of classes,"
            + " in turn, with spread.",
    subcommands = {
      AllBenchCommand.class,
      ChainBenchCommand.class,
      ExchangeBenchCommand.class,
      HoneBenchCommand.class,
      LocalBenchCommand.class,
      MemoryBenchCommand.class,
      PageRankBenchCommand.class,
      RedrawCommand.class,
      RmrBenchCommand.class,
      RmrSizesBenchCommand.class,
      ScalingBenchCommand.class,
      SparkBenchCommand.class,
      SyntheticBenchCommand.class,
      MicroBenchCommand.class
    },
    mixinStandardHelpOptions = true)
final class BenchCommand implements Callable<Integer> {
  @Mixin private ClusterOptions clusterOptions;

  @Option(
      names = "--size",
      converter = SizeConverter.class,
      defaultValue = "1g",
      description = "Size of TeraSort's input (default: ${DEFAULT-VALUE}).")
  private long sizeBytes;

  @Mixin private RunsOption runs;

  @Option(
      names = "--encrypted",
      description = "Stock and Sluice, without and with mapreduce.job.encrypted-intermediate-data.")
  private boolean encrypted;

  @Override
  public Integer call() {
    Workspace workspace = Workspace.find();
    Console console = Console.standard();
    try (PseudoCluster cluster = clusterOptions.start(workspace, console)) {
      HadoopBench bench =
          encrypted
              ? HadoopBench.encrypted(cluster, console, sizeBytes)
              : HadoopBench.plain(cluster, console, sizeBytes);
      bench.run(runs.count(), new ResultFiles(workspace.results()));
    }
    return 0;
  }
}
