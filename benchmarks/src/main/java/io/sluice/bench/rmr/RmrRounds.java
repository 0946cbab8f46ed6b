package io.sluice.bench.rmr;

import io.sluice.bench.Bench;
import io.sluice.bench.SameOutput;
import io.sluice.it.cluster.ClusterException;
import io.sluice.it.cluster.PseudoCluster;
import io.sluice.it.cluster.Workspace;
import io.sluice.it.job.JobCosts;
import io.sluice.it.report.Console;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * Runs a program by all variants in turn, on an input made for it, with equal outputs.
 *
 * <p>Not thread-safe; clusters are their caller's. A failed job or an output that differs is a
 * {@link ClusterException}.
 */
public final class RmrRounds {
  private final Workspace workspace;
  private final Console console;
  private final Map<RmrVariant, RmrCluster> clusters = new EnumMap<>(RmrVariant.class);

  /** On no cluster yet. */
  public RmrRounds(Workspace workspace, Console console) {
    this.workspace = workspace;
    this.console = console;
  }

  /** Has those variants run on that cluster. */
  public void runOn(PseudoCluster cluster, Set<RmrVariant> variants) {
    RmrCluster programs = new RmrCluster(workspace, cluster);
    variants.forEach(variant -> clusters.put(variant, programs));
  }

  /** What each round cost, whose input is about as large as the program's share of that size. */
  List<Map<RmrVariant, JobCosts>> run(RmrWorkload workload, long sizeBytes, int rounds) {
    List<RmrCluster> all = clusters.values().stream().distinct().toList();
    console.job(
        "Input of " + workload.title(),
        progress -> {
          all.get(0).generate(workload, sizeBytes, progress);
          all.stream().skip(1).forEach(other -> other.copy(workload, all.get(0)));
          return workload;
        });
    List<Map<RmrVariant, JobCosts>> costs = new ArrayList<>();
    for (int round = 1; round <= rounds; round++) {
      costs.add(round(workload, round));
    }
    all.forEach(cluster -> cluster.deleteInput(workload));
    return costs;
  }

  private Map<RmrVariant, JobCosts> round(RmrWorkload workload, int round) {
    SameOutput<List<String>> output = new SameOutput<>(workload.title());
    return Bench.inTurn(
        clusters.keySet(),
        variant -> {
          RmrCluster cluster = clusters.get(variant);
          JobCosts costs =
              console.job(
                  "%s, round %d, %s".formatted(workload.title(), round, variant.title()),
                  progress -> cluster.run(workload, variant, progress));
          output.add(variant.title(), cluster.digests(workload, variant));
          cluster.deleteOutput(workload, variant);
          return costs;
        });
  }
}
