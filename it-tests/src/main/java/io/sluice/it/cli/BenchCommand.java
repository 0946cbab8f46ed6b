package io.sluice.it.cli;

import io.sluice.bench.hadoop.HadoopBench;
import io.sluice.bench.hadoop.HadoopVariant;
import io.sluice.it.cluster.PseudoCluster;
import io.sluice.it.cluster.Workspace;
import io.sluice.it.report.Console;
import io.sluice.it.report.ResultFiles;
import java.util.Set;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** {@code sluice bench}. */
@Command(
    name = "bench",
    description =
        "Measures TeraSort on a YARN cluster: stock, tuned, through Sluice, and through Sluice with"
            + " its archive of classes. The variants run in turn.",
    subcommands = {
      AllBenchCommand.class,
      ChainBenchCommand.class,
      CodecsBenchCommand.class,
      CrowdBenchCommand.class,
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
      StoreScaleBenchCommand.class,
      SyntheticBenchCommand.class,
      WaitingBenchCommand.class,
      MicroBenchCommand.class
    },
    mixinStandardHelpOptions = true)
final class BenchCommand extends MeasuringCommand {

  @Mixin private InstallOptions install;
  @Mixin private ClusterOptions clusterOptions;

  @Option(
      names = "--size",
      paramLabel = "SIZE",
      converter = SizeConverter.class,
      defaultValue = "1g",
      description = "Size of TeraSort's input (default: ${DEFAULT-VALUE}).")
  private long sizeBytes;

  @Option(
      names = "--encrypted",
      description =
          "Compare stock and Sluice without and with%nmapreduce.job.encrypted-intermediate-data.")
  private boolean encrypted;

  @Option(
      names = "--engines",
      paramLabel = "NAME",
      split = ",",
      description =
          "Variants that run beside STOCK: TUNED, SLUICE, SLUICE_ARCHIVE; with --encrypted:"
              + " STOCK_ENCRYPTED, SLUICE, SLUICE_ENCRYPTED (default: all).")
  private Set<HadoopVariant> engines;

  @Spec private CommandSpec spec;

  @Override
  void run(Workspace workspace, Console console, int rounds, ResultFiles results) {
    Set<HadoopVariant> possible = encrypted ? HadoopVariant.ENCRYPTION : HadoopVariant.PLAIN;
    Set<HadoopVariant> asked = engines == null ? possible : engines;
    Engines.check(spec, asked, possible);
    try (PseudoCluster cluster = clusterOptions.start(workspace, console)) {
      new HadoopBench(cluster, console, sizeBytes, Engines.withStock(HadoopVariant.STOCK, asked))
          .run(rounds, results, encrypted ? "bench-encrypted" : "bench");
    }
  }
}
