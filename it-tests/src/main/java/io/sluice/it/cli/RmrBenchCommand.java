package io.sluice.it.cli;

import io.sluice.bench.rmr.RmrBench;
import io.sluice.bench.rmr.RmrVariant;
import io.sluice.bench.rmr.RmrWorkload;
import io.sluice.it.cluster.PseudoCluster;
import io.sluice.it.cluster.Workspace;
import io.sluice.it.report.Console;
import io.sluice.it.report.ResultFiles;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** {@code sluice bench rmr-nvm}. */
@Command(
    name = "rmr-nvm",
    description =
        "Measures RMR-NVM's programs on YARN: stock, stock tuned, Sluice, Sluice with pools as slow"
            + " as NVRAM.",
    mixinStandardHelpOptions = true)
final class RmrBenchCommand implements Callable<Integer> {
  @Mixin private ClusterOptions clusterOptions;

  @Option(
      names = "--size",
      converter = SizeConverter.class,
      defaultValue = "512m",
      description =
          "Of the inputs; of those that several jobs read, a half or a quarter (default:"
              + " ${DEFAULT-VALUE}).")
  private long sizeBytes;

  @Option(
      names = "--workload",
      split = ",",
      description = "Some of ${COMPLETION-CANDIDATES} (default: all).")
  private List<RmrWorkload> workloads = List.of(RmrWorkload.values());

  @Option(
      names = "--engines",
      split = ",",
      description = "Beside STOCK, some of ${COMPLETION-CANDIDATES} (default: all).")
  private Set<RmrVariant> variants = EnumSet.allOf(RmrVariant.class);

  @Option(
      names = "--runs",
      converter = CountConverter.class,
      defaultValue = "5",
      description = "How often each variant runs (default: ${DEFAULT-VALUE}).")
  private int runs;

  @Override
  public Integer call() {
    Workspace workspace = Workspace.find();
    Console console = Console.standard();
    RmrBench bench = new RmrBench(workspace, console, sizeBytes, workloads);
    Set<RmrVariant> plain = EnumSet.of(RmrVariant.STOCK);
    plain.addAll(variants);
    boolean slow = plain.remove(RmrVariant.NVRAM);
    try (PseudoCluster cluster = clusterOptions.start(workspace, console);
        PseudoCluster nvram =
            slow ? clusterOptions.start(workspace, console, RmrVariant.NVRAM_SITE) : null) {
      bench.runOn(cluster, plain);
      if (slow) {
        bench.runOn(nvram, Set.of(RmrVariant.NVRAM));
      }
      bench.run(runs, new ResultFiles(workspace.results()));
    }
    return 0;
  }
}
