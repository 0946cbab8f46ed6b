package io.sluice.it.cli;

import io.sluice.bench.ResultPage.StoredPlots;
import io.sluice.bench.hadoop.HadoopBench;
import io.sluice.bench.hadoop.HadoopVariant;
import io.sluice.it.cli.SharedOptions.SizeConverter;
import io.sluice.it.cluster.PseudoCluster;
import io.sluice.it.cluster.Workspace;
import io.sluice.it.report.Console;
import io.sluice.it.report.ResultFiles;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.ScopeType;

/** {@code sluice bench}: TeraSort by itself, and all other benches below it. */
@Command(
    name = "bench",
    description =
        "Measures TeraSort on a YARN cluster: stock, tuned, through Sluice, and through Sluice with"
            + " its archive of classes. The variants run in turn.",
    subcommands = {
      AllBenchCommand.class,
      OneProcessBenches.Chain.class,
      OneProcessBenches.Codecs.class,
      NodeBenches.Crowd.class,
      OneProcessBenches.Exchange.class,
      OneProcessBenches.Hone.class,
      OneProcessBenches.Local.class,
      ClusterBenches.Memory.class,
      ClusterBenches.PageRank.class,
      BenchCommand.Redraw.class,
      ClusterBenches.RmrNvm.class,
      ClusterBenches.RmrSizes.class,
      OneProcessBenches.Scaling.class,
      SparkBenchCommand.class,
      NodeBenches.StoreScale.class,
      OneProcessBenches.Synthetic.class,
      NodeBenches.Waiting.class,
      OneProcessBenches.Micro.class
    },
    mixinStandardHelpOptions = true,
    scope = ScopeType.INHERIT)
final class BenchCommand extends MeasuringCommand {
  @Mixin private SharedOptions.Install install;
  @Mixin private SharedOptions.Cluster clusterOptions;

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
          "Variants to measure, STOCK always among them: STOCK, TUNED, SLUICE, SLUICE_ARCHIVE; with"
              + " --encrypted: STOCK, STOCK_ENCRYPTED, SLUICE, SLUICE_ENCRYPTED (default: all).")
  private Set<HadoopVariant> engines;

  @Override
  void run(Workspace workspace, Console console, int rounds, ResultFiles results) {
    Set<HadoopVariant> possible = encrypted ? HadoopVariant.ENCRYPTION : HadoopVariant.PLAIN;
    Set<HadoopVariant> asked = engines == null ? possible : engines;
    check(asked, possible);
    try (PseudoCluster cluster = clusterOptions.start(workspace, console)) {
      new HadoopBench(cluster, console, sizeBytes, withStock(HadoopVariant.STOCK, asked))
          .run(rounds, results, encrypted ? "bench-encrypted" : "bench");
    }
  }

  @Command(
      name = "redraw",
      description = "Draws the plots of results again from their JSON, and writes them beside it.")
  static final class Redraw implements Callable<Integer> {
    @Parameters(
        arity = "1..*",
        paramLabel = "JSON",
        description = "Files of results, such as docs/results/*.json.")
    private List<Path> results;

    @Override
    public Integer call() {
      Console console = Console.standard();
      results.stream().map(StoredPlots::drawAgain).forEach(said -> said.forEach(console::say));
      return 0;
    }
  }
}
