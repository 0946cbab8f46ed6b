package io.sluice.bench.hadoop;

import io.sluice.bench.Bench;
import io.sluice.bench.Bench.SameOutput;
import io.sluice.bench.Comparison;
import io.sluice.bench.Comparison.Ratio;
import io.sluice.bench.hadoop.RmrWorkload.RmrInput;
import io.sluice.bench.hadoop.RmrWorkload.RmrVariant;
import io.sluice.it.cluster.ClientWithJar;
import io.sluice.it.cluster.ClusterException;
import io.sluice.it.cluster.HadoopDistribution;
import io.sluice.it.cluster.PseudoCluster;
import io.sluice.it.cluster.Workspace;
import io.sluice.it.job.JobCosts;
import io.sluice.it.job.JobSpec;
import io.sluice.it.job.RunningJob;
import io.sluice.it.job.RunningJob.JobProgress;
import io.sluice.it.report.Console;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.LinkedHashMap;
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

  /** Returns the costs of each round; the input is about the program's share of that size. */
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

  /**
   * The costs of all programs so far: programs come one after the other, each with all its rounds.
   *
   * <p>Not thread-safe.
   *
   * @param <C> a program, or a program on an input of some size
   */
  static final class RmrCosts<C> {
    private final Map<C, List<Map<RmrVariant, JobCosts>>> rounds = new LinkedHashMap<>();
    private final Comparison<RmrVariant, Map<C, JobCosts>> comparison =
        new Comparison<>(
            List.of(
                new Ratio<>(RmrVariant.SLUICE, RmrVariant.STOCK),
                new Ratio<>(RmrVariant.SLUICE, RmrVariant.TUNED),
                new Ratio<>(RmrVariant.ARCHIVE, RmrVariant.STOCK),
                new Ratio<>(RmrVariant.NVRAM, RmrVariant.STOCK)));

    /** Adds the rounds of a case; all have as many, of the same variants. */
    void add(C measured, List<Map<RmrVariant, JobCosts>> costs) {
      if (rounds.isEmpty()) {
        for (Map<RmrVariant, JobCosts> round : costs) {
          Map<RmrVariant, Map<C, JobCosts>> cases = new EnumMap<>(RmrVariant.class);
          round.keySet().forEach(variant -> cases.put(variant, new LinkedHashMap<>()));
          comparison.add(cases);
        }
      }
      rounds.put(measured, List.copyOf(costs));
      for (int round = 0; round < costs.size(); round++) {
        Map<RmrVariant, JobCosts> ofRound = costs.get(round);
        comparison
            .rounds()
            .get(round)
            .forEach((variant, cases) -> cases.put(measured, ofRound.get(variant)));
      }
    }

    /** The cases, in the order in which they were measured. */
    List<C> cases() {
      return List.copyOf(rounds.keySet());
    }

    /** All costs, by case. */
    Map<C, List<Map<RmrVariant, JobCosts>>> rounds() {
      return rounds;
    }

    /** All costs, by rounds. */
    Comparison<RmrVariant, Map<C, JobCosts>> comparison() {
      return comparison;
    }

    /** The mean time that a map spends on spills and merges, in ms. */
    static double meanSpillAndMergeMs(JobCosts costs) {
      return 1.0 * costs.maps().spillAndMergeMs() / costs.eachMap().size();
    }
  }

  /**
   * Runs the programs on one cluster, on files in its HDFS.
   *
   * <p>Not thread-safe; the cluster is its caller's. A job that fails is a {@link
   * ClusterException}.
   */
  static final class RmrCluster {
    private static final String DIRECTORY = "/rmr";
    private static final String TEXT = DIRECTORY + "/text"; // of which an input is made

    private final Workspace workspace;
    private final PseudoCluster cluster;

    RmrCluster(Workspace workspace, PseudoCluster cluster) {
      this.workspace = workspace;
      this.cluster = cluster;
    }

    /** Writes a program's input, with stock's shuffle. */
    void generate(RmrWorkload workload, long sizeBytes, JobProgress progress) {
      long inputBytes = workload.inputBytes(sizeBytes);
      if (workload.input() == RmrInput.SEQUENCES) {
        make(maker(RmrInput.TEXT, inputBytes, TEXT), progress);
        make(RmrWorkload.SEQUENCE_COUNT.job(workspace, hadoop(), TEXT, input(workload)), progress);
        cluster.fileSystem().delete(TEXT);
      } else {
        make(maker(workload.input(), inputBytes, input(workload)), progress);
      }
    }

    private JobSpec maker(RmrInput input, long sizeBytes, String to) {
      return input.maker(workspace, hadoop(), sizeBytes, to);
    }

    private HadoopDistribution hadoop() {
      return cluster.spec().distribution();
    }

    private void make(JobSpec maker, JobProgress progress) {
      RunningJob.run(cluster, maker.with(HadoopVariant.STOCK.settings()), progress)
          .requireSuccess();
    }

    /** Copies a program's input from another cluster. */
    void copy(RmrWorkload workload, RmrCluster other) {
      ClientWithJar.fs(cluster, "-mkdir", "-p", DIRECTORY);
      ClientWithJar.fs(
          cluster, "-cp", other.cluster.fileSystemUri() + input(workload), input(workload));
    }

    /** Runs a program, and tells what its jobs cost. */
    JobCosts run(RmrWorkload workload, RmrVariant variant, JobProgress progress) {
      JobSpec spec =
          workload
              .job(workspace, hadoop(), input(workload), output(workload, variant))
              .with(variant.settings(cluster));
      JobCosts costs = JobCosts.measure(cluster, spec, progress);
      if (variant.isOurs() == costs.sluice().isEmpty()) {
        throw new ClusterException(
            "%s, %s: counters of Sluice are %s"
                .formatted(workload.title(), variant.title(), costs.sluice()));
      }
      return costs;
    }

    /** A digest of each file of an output; there is one at least. */
    List<String> digests(RmrWorkload workload, RmrVariant variant) {
      List<String> digests =
          OutputDigest.of(cluster.fileSystem(), output(workload, variant), workload.isText());
      if (digests.isEmpty()) {
        throw new ClusterException(
            workload.title() + ", " + variant.title() + ": there is no output");
      }
      return digests;
    }

    void deleteOutput(RmrWorkload workload, RmrVariant variant) {
      cluster.fileSystem().delete(output(workload, variant));
    }

    void deleteInput(RmrWorkload workload) {
      cluster.fileSystem().delete(input(workload));
    }

    private static String input(RmrWorkload workload) {
      return DIRECTORY + "/" + workload.program();
    }

    private static String output(RmrWorkload workload, RmrVariant variant) {
      return DIRECTORY + "/" + workload.program() + "-" + variant;
    }
  }
}
