package io.sluice.bench.hadoop;

import io.sluice.it.cluster.ClientWithJar;
import io.sluice.it.cluster.ClusterException;
import io.sluice.it.cluster.NodeManager;
import io.sluice.it.cluster.Poll;
import io.sluice.it.cluster.ProcessTable.ProcessUse;
import io.sluice.it.cluster.PseudoCluster;
import io.sluice.it.cluster.SluiceFragments;
import io.sluice.it.cluster.Workspace;
import io.sluice.it.local.LocalJobClient;
import io.sluice.it.local.LocalJobClient.ProcessCosts;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

/**
 * PageRank of the module workloads: a driver that runs a job for each round and one before. The
 * graph is in HDFS, always.
 *
 * <p>Not thread-safe; the cluster is its caller's. A job that fails, or a result that is not where
 * it shall be, is a {@link ClusterException}.
 */
final class PageRankChain {
  private static final int REDUCES = 2;
  private static final Duration POOL_DEADLINE = Duration.ofMinutes(1);
  private static final String DIRECTORY = "/pagerank";
  private static final String GRAPH = DIRECTORY + "/graph";

  private final PseudoCluster cluster;
  private final Path workloads;
  private final LocalJobClient client;
  private final int rounds;

  /**
   * The costs of a chain of jobs.
   *
   * @param wallMs from the driver's start to its end
   * @param cpuMs processor time of the driver, of all containers and all daemons
   * @param writtenBytes to files on disks, by all of them
   * @param copyMs what {@code hadoop fs -cp} of the result to HDFS takes besides; 0 where it is
   *     there
   */
  record ChainCosts(long wallMs, long cpuMs, long writtenBytes, long copyMs) {}

  PageRankChain(Workspace workspace, PseudoCluster cluster, int rounds) {
    this.cluster = cluster;
    this.workloads = workspace.workloadsJar();
    this.rounds = rounds;
    this.client =
        LocalJobClient.ofCluster(
            cluster.spec().distribution(),
            cluster.clientConf(),
            cluster.spec().sluice().map(SluiceFragments::jar).stream().toList(),
            cluster.localDirectory("driver"),
            List.of("-Xmx384m"));
  }

  /** Writes the graph, once. */
  ProcessCosts generate(long pages) {
    return client.run(workloads, List.of("generate-graph", Long.toString(pages), GRAPH));
  }

  /** Runs the driver. */
  ChainCosts run(PageRankVariant variant) {
    List<String> arguments = new ArrayList<>(List.of("pagerank"));
    variant.settings(cluster).forEach((name, value) -> arguments.add("-D" + name + "=" + value));
    arguments.add("-Dmapreduce.job.reduces=" + REDUCES);
    arguments.addAll(List.of(GRAPH, output(variant), Integer.toString(rounds)));
    ProcessUse before = cluster.useWithoutContainers();
    ProcessCosts driver = client.run(workloads, arguments);
    ProcessUse others = cluster.useWithoutContainers().since(before);
    if (variant.hasClusterFiles()) {
      requirePooled();
    }
    return new ChainCosts(
        driver.wallMs(),
        driver.cpuMs() + others.cpuMs(),
        driver.writtenBytes() + others.writtenBytes(),
        variant.hasClusterFiles() ? copy(variant) : 0);
  }

  /** Else the figures are those of something else. */
  private void requirePooled() {
    Poll.untilTrue(
        "the result to be in the pools",
        POOL_DEADLINE,
        () -> {
          for (NodeManager node : cluster.nodes()) {
            if (node.poolState().outputs() > 0) {
              return true;
            }
          }
          throw new ClusterException("no node has a file of the result");
        });
  }

  private long copy(PageRankVariant variant) {
    long startNs = System.nanoTime();
    ClientWithJar.fs(cluster, "-cp", output(variant), result(variant));
    return TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - startNs);
  }

  /** A digest of each file of the result. */
  List<String> digests(PageRankVariant variant) {
    return OutputDigest.of(cluster.fileSystem(), result(variant), true);
  }

  /** So that it can run again, and nothing of it lies in a pool. */
  void delete(PageRankVariant variant) {
    if (variant.hasClusterFiles()) {
      ClientWithJar.fs(cluster, "-rm", "-r", "-skipTrash", output(variant));
    }
    cluster.fileSystem().delete(result(variant));
  }

  private static String output(PageRankVariant variant) {
    return variant.fileSystem() + result(variant);
  }

  private static String result(PageRankVariant variant) {
    return DIRECTORY + "/ranks-" + variant;
  }
}
