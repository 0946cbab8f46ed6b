package io.sluice.bench.rmr;

import io.sluice.it.cluster.ClusterException;
import io.sluice.it.report.Console;
import io.sluice.it.report.ResultFiles;
import java.util.List;

/**
 * Programs over sizes: the paper has its two sorts (section IV-B and C, Figures 3 and 4).
 *
 * <p>Not thread-safe. A failed job or an output that differs is a {@link ClusterException}.
 */
public final class RmrSizesBench {
  /** Of the largest size: as the paper's 20, 40 and 60 GB. */
  private static final int STEPS = 3;

  private final RmrRounds rounds;
  private final Console console;
  private final long largestBytes;
  private final List<RmrWorkload> workloads;

  /** Inputs of a third of that size, of two thirds, of all of it. */
  public RmrSizesBench(
      RmrRounds rounds, Console console, long largestBytes, List<RmrWorkload> workloads) {
    this.rounds = rounds;
    this.console = console;
    this.largestBytes = largestBytes;
    this.workloads = workloads;
  }

  /** Runs all rounds and writes the results, after each size anew. */
  public void run(int count, ResultFiles files) {
    RmrSizesResults results = new RmrSizesResults();
    for (RmrWorkload workload : workloads) {
      for (int step = 1; step <= STEPS; step++) {
        long sizeBytes = largestBytes * step / STEPS;
        results.add(new SizedWorkload(workload, sizeBytes), rounds.run(workload, sizeBytes, count));
        results.page().write(files); // it may be ended before the last
      }
    }
    results.page().show(console, files);
  }
}
