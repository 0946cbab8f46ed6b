package io.sluice.it.cli;

import io.sluice.bench.memory.MemoryBench;
import io.sluice.bench.memory.MemoryPlan;
import io.sluice.bench.memory.MemoryWorkload;
import io.sluice.it.cluster.ClusterException;
import io.sluice.it.cluster.HadoopDistribution;
import io.sluice.it.cluster.SluiceFragments;
import io.sluice.it.cluster.Workspace;
import io.sluice.it.limit.LoopVolume;
import io.sluice.it.limit.ResourceGroup.DeviceRate;
import io.sluice.it.limit.ResourceGroups;
import io.sluice.it.report.Console;
import io.sluice.it.report.ResultFiles;
import java.util.List;
import java.util.Optional;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** {@code sluice bench memory}. */
@Command(
    name = "memory",
    description =
        "Measures WordCount and Sort in bounded memory, page cache included. Stock, tuned for it, and"
            + " Sluice run in turn. It needs root, for control groups and loop devices.",
    mixinStandardHelpOptions = true)
final class MemoryBenchCommand extends MeasuringCommand {
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
          "Programs to measure (default: ${DEFAULT-VALUE}). wc is WordCount without a combiner, wcc"
              + " is WordCount with one.")
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
            workloads.stream().map(MemoryWorkload::of).toList(),
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
