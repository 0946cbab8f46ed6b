package io.sluice.bench.rmr;

import io.sluice.it.cluster.ClusterException;
import io.sluice.it.report.Console;
import io.sluice.it.report.ResultFiles;
import java.util.List;

/**
 * The paper's programs, one after the other.
 *
 * <p>Not thread-safe. A failed job or an output that differs is a {@link ClusterException}.
 */
public final class RmrBench {
  private final RmrRounds rounds;
  private final Console console;
  private final long sizeBytes;
  private final List<RmrWorkload> workloads;

  /** Of some programs, whose inputs are about that large. */
  public RmrBench(RmrRounds rounds, Console console, long sizeBytes, List<RmrWorkload> workloads) {
    this.rounds = rounds;
    this.console = console;
    this.sizeBytes = sizeBytes;
    this.workloads = List.copyOf(workloads);
  }

  /** Runs all rounds and writes the results, after each program anew. */
  public void run(int count, ResultFiles files) {
    RmrResults results = new RmrResults(sizeBytes);
    for (RmrWorkload workload : workloads) {
      results.add(workload, rounds.run(workload, sizeBytes, count));
      results.page().write(files); // it may be ended before the last
    }
    results.page().show(console, files);
  }
}
