package io.sluice.bench.hadoop;

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
import java.util.List;

/**
 * Runs the programs on one cluster, on files in its HDFS.
 *
 * <p>Not thread-safe; the cluster is its caller's. A job that fails is a {@link ClusterException}.
 */
final class RmrCluster {
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
    RunningJob.run(cluster, maker.with(HadoopVariant.STOCK.settings()), progress).requireSuccess();
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
