package io.sluice.it.cli;

import io.sluice.bench.hadoop.PageRankBench;
import io.sluice.bench.hadoop.PageRankBench.PageRankVariant;
import io.sluice.bench.hadoop.RmrBench;
import io.sluice.bench.hadoop.RmrRounds;
import io.sluice.bench.hadoop.RmrSizesBench;
import io.sluice.bench.hadoop.RmrWorkload;
import io.sluice.bench.hadoop.RmrWorkload.RmrVariant;
import io.sluice.bench.memory.MemoryBench;
import io.sluice.bench.memory.MemoryPlan;
import io.sluice.bench.memory.MemoryWorkload;
import io.sluice.it.cli.SharedOptions.CountConverter;
import io.sluice.it.cli.SharedOptions.SizeConverter;
import io.sluice.it.cluster.ClusterException;
import io.sluice.it.cluster.HadoopDistribution;
import io.sluice.it.cluster.PseudoCluster;
import io.sluice.it.cluster.SluiceFragments;
import io.sluice.it.cluster.Workspace;
import io.sluice.it.limit.LoopVolume;
import io.sluice.it.limit.ResourceGroup.DeviceRate;
import io.sluice.it.limit.ResourceGroups;
import io.sluice.it.report.Console;
import io.sluice.it.report.ResultFiles;
import java.util.EnumSet;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** The benches of {@code sluice bench} that start a cluster, besides TeraSort's. */
final class ClusterBenches {
  private ClusterBenches() {}

  @Command(
      name = "pagerank",
      description =
          "Measures PageRank's chain of jobs on YARN: stock, Sluice, and Sluice with the files between"
              + " the jobs in the nodes' pools.")
  static final class PageRank extends MeasuringCommand {
    @Mixin private SharedOptions.Cluster clusterOptions;

    @Option(
        names = "--size",
        paramLabel = "SIZE",
        converter = SizeConverter.class,
        defaultValue = "1m",
        description = "Number of pages in the graph, such as 400k (default: ${DEFAULT-VALUE}).")
    private long pages;

    @Option(
        names = "--iterations",
        paramLabel = "COUNT",
        converter = CountConverter.class,
        defaultValue = "5",
        description = "Iterations of PageRank (default: ${DEFAULT-VALUE}, as in the paper).")
    private int iterations;

    @Option(names = "--engines", paramLabel = "NAME", split = ",", description = ENGINES)
    private Set<PageRankVariant> variants = EnumSet.allOf(PageRankVariant.class);

    @Override
    void run(Workspace workspace, Console console, int rounds, ResultFiles results) {
      try (PseudoCluster cluster = clusterOptions.start(workspace, console)) {
        new PageRankBench(
                workspace,
                cluster,
                console,
                pages,
                iterations,
                withStock(PageRankVariant.STOCK, variants))
            .run(rounds, results);
      }
    }
  }

  /** The options that all benches of RMR-NVM's programs have. */
  abstract static class Rmr extends MeasuringCommand {
    @Mixin private SharedOptions.Cluster clusterOptions;

    @Option(names = "--engines", paramLabel = "NAME", split = ",", description = ENGINES)
    private Set<RmrVariant> variants = EnumSet.allOf(RmrVariant.class);

    @Option(
        names = "--workload",
        paramLabel = "NAME",
        split = ",",
        description = "Programs to measure: ${COMPLETION-CANDIDATES} (default: all of this bench).")
    private List<RmrWorkload> workloads = List.of();

    /** The programs to run: those that were named, or all of the bench. */
    List<RmrWorkload> workloads(List<RmrWorkload> all) {
      return workloads.isEmpty() ? all : workloads;
    }

    /** Runs the bench on clusters that have been started. */
    abstract void run(RmrRounds by, Console console, int rounds, ResultFiles results);

    /** Starts the clusters: the variant with slow pools has one of its own. */
    @Override
    void run(Workspace workspace, Console console, int rounds, ResultFiles results) {
      Set<RmrVariant> plain = withStock(RmrVariant.STOCK, variants);
      boolean slow = plain.remove(RmrVariant.NVRAM);
      RmrRounds by = new RmrRounds(workspace, console);
      try (PseudoCluster cluster = clusterOptions.start(workspace, console);
          PseudoCluster nvram =
              slow ? clusterOptions.start(workspace, console, RmrVariant.NVRAM_SITE) : null) {
        by.runOn(cluster, plain);
        if (slow) {
          by.runOn(nvram, Set.of(RmrVariant.NVRAM));
        }
        run(by, console, rounds, results);
      }
    }
  }

  @Command(
      name = "rmr-nvm",
      description =
          "Measures the programs of the RMR-NVM paper on YARN: stock, stock tuned, Sluice, Sluice with"
              + " its archive of classes, and Sluice with pools as slow as NVRAM.")
  static final class RmrNvm extends Rmr {
    private static final List<RmrWorkload> ALL = List.of(RmrWorkload.values());

    @Option(
        names = "--size",
        paramLabel = "SIZE",
        converter = SizeConverter.class,
        defaultValue = "512m",
        description =
            "Size of the inputs (default: ${DEFAULT-VALUE}). An input that several jobs read has a"
                + " half or a quarter of it.")
    private long sizeBytes;

    @Override
    void run(RmrRounds by, Console console, int rounds, ResultFiles results) {
      new RmrBench(by, console, sizeBytes, workloads(ALL)).run(rounds, results);
    }
  }

  @Command(
      name = "rmr-sizes",
      description =
          "Measures Sort and TeraSort, or other programs, over three sizes, as bench rmr-nvm does:"
              + " their maps, their reduces, and what each map spills.")
  static final class RmrSizes extends Rmr {
    private static final List<RmrWorkload> SORTS = List.of(RmrWorkload.SORT, RmrWorkload.TERASORT);

    @Option(
        names = "--size",
        paramLabel = "SIZE",
        converter = SizeConverter.class,
        defaultValue = "768m",
        description =
            "Size of the largest input (default: ${DEFAULT-VALUE}). The others are a third and two"
                + " thirds of it.")
    private long largestBytes;

    @Override
    void run(RmrRounds by, Console console, int rounds, ResultFiles results) {
      new RmrSizesBench(by, console, largestBytes, workloads(SORTS)).run(rounds, results);
    }
  }

  @Command(
      name = "memory",
      description =
          "Measures WordCount and Sort in bounded memory, page cache included. Stock, tuned for it, and"
              + " Sluice run in turn. It needs root, for control groups and loop devices.")
  static final class Memory extends MeasuringCommand {
    private static final String NONE = "none";
    private static final int REQUESTS_PER_S = 150;

    @Option(
        names = "--size",
        paramLabel = "SIZE",
        converter = SizeConverter.class,
        defaultValue = "600m",
        description =
            "Size of Sort's input (default: ${DEFAULT-VALUE}). WordCount reads half of it without a"
                + " combiner, and a third with one.")
    private long sizeBytes;

    @Option(
        names = "--workload",
        paramLabel = "NAME",
        split = ",",
        defaultValue = "wc,sort,wcc",
        description =
            "Programs to measure: wc, sort, wcc (default: all). wc is WordCount without a combiner,"
                + " wcc is WordCount with one.")
    private List<String> workloads;

    @Option(
        names = "--fractions",
        paramLabel = "SHARE",
        split = ",",
        defaultValue = "1.0,0.5,0.25,0.125",
        description =
            "Memory for the shuffle, as shares of the shuffled data (default: ${DEFAULT-VALUE}).")
    private List<Double> fractions;

    @Option(
        names = "--device-rate",
        paramLabel = "RATE",
        defaultValue = "16m",
        description =
            "Bytes per second that the shuffle's device reads at most, and writes at most, with "
                + REQUESTS_PER_S
                + " requests per second; none is no bound (default: ${DEFAULT-VALUE}).")
    private String shuffleRate;

    @Option(
        names = "--files-rate",
        paramLabel = "RATE",
        defaultValue = NONE,
        description =
            "The same for the device of the distributed file system (default: ${DEFAULT-VALUE}).")
    private String filesRate;

    @Override
    void run(Workspace workspace, Console console, int rounds, ResultFiles results) {
      LoopVolume.unavailableBecause()
          .or(ResourceGroups::unavailableBecause)
          .ifPresent(
              reason -> {
                throw new ClusterException("memory and devices cannot be bounded here: " + reason);
              });
      SluiceFragments sluice =
          SluiceFragments.load(workspace)
              .orElseThrow(() -> new ClusterException("the plugin jar has not been built"));
      MemoryPlan plan =
          new MemoryPlan(
              sizeBytes,
              rounds,
              workloads.stream()
                  .map(name -> MemoryWorkload.of(name.toLowerCase(Locale.ROOT)))
                  .toList(),
              fractions,
              rate(shuffleRate),
              rate(filesRate));
      HadoopDistribution hadoop =
          HadoopDistribution.locate(workspace, HadoopDistribution.DEFAULT_VERSION);
      new MemoryBench(workspace, console, hadoop, sluice, plan).run(results);
    }

    private static Optional<DeviceRate> rate(String bytesPerS) {
      return bytesPerS.equals(NONE)
          ? Optional.empty()
          : Optional.of(new DeviceRate(new SizeConverter().convert(bytesPerS), REQUESTS_PER_S));
    }
  }
}
