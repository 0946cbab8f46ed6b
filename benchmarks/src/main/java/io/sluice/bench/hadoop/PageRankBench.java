package io.sluice.bench.hadoop;

import io.sluice.bench.Bench;
import io.sluice.bench.Bench.SameOutput;
import io.sluice.bench.Comparison;
import io.sluice.bench.Comparison.Ratio;
import io.sluice.bench.Comparison.Variant;
import io.sluice.bench.Figure;
import io.sluice.bench.hadoop.PageRankBench.PageRankChain.ChainCosts;
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
import io.sluice.it.report.Console;
import io.sluice.it.report.ResultFiles;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.TimeUnit;

/**
 * PageRank's chain of jobs by all variants in turn, several rounds on one cluster, with equal
 * outputs: the last table of Flame-MR-It's paper with our numbers.
 *
 * <p>Not thread-safe; the cluster is its caller's. A failed job or an output that differs is a
 * {@link ClusterException}.
 *
 * @param workspace has the jars
 * @param cluster where the chain runs
 * @param console says what runs
 * @param pages of the graph
 * @param iterations of PageRank
 * @param variants stock, and what is measured beside it
 */
public record PageRankBench(
    Workspace workspace,
    PseudoCluster cluster,
    Console console,
    long pages,
    int iterations,
    Set<PageRankVariant> variants) {
  private static final List<Figure<ChainCosts>> FIGURES =
      List.of(
          Figure.seconds("wall", ChainCosts::wallMs),
          Figure.seconds("CPU of all processes", ChainCosts::cpuMs),
          Figure.megabytes("written to disks", ChainCosts::writtenBytes));

  private static final List<Ratio<PageRankVariant>> RATIOS =
      List.of(
          new Ratio<>(PageRankVariant.STOCK_ARCHIVE, PageRankVariant.STOCK),
          new Ratio<>(PageRankVariant.SLUICE, PageRankVariant.STOCK),
          new Ratio<>(PageRankVariant.CLUSTER_FILES, PageRankVariant.STOCK),
          new Ratio<>(PageRankVariant.SLUICE, PageRankVariant.STOCK_ARCHIVE),
          new Ratio<>(PageRankVariant.CLUSTER_FILES, PageRankVariant.SLUICE));

  /** Runs all rounds and writes the results. */
  public void run(int rounds, ResultFiles results) {
    PageRankChain chain = new PageRankChain(workspace, cluster, iterations);
    console.step("Graph of %,d pages".formatted(pages), () -> chain.generate(pages));
    Comparison<PageRankVariant, ChainCosts> comparison = new Comparison<>(RATIOS);
    String hadoop = cluster.spec().distribution().version();
    Bench.of(
            "bench-pagerank",
            "PageRank, %d iterations of %,d pages, Hadoop %s",
            iterations,
            pages,
            hadoop)
        .data("pages", pages)
        .data("iterations", iterations)
        .rounds(comparison)
        .table("", comparison, FIGURES)
        .bars("", comparison, PageRankVariant.STOCK, "per cent of stock", FIGURES)
        .run(
            rounds,
            comparison,
            round -> {
              SameOutput<List<String>> output = new SameOutput<>("PageRank");
              return Bench.inTurn(variants, variant -> measure(chain, round, variant, output));
            },
            console,
            results);
  }

  private ChainCosts measure(
      PageRankChain chain, int round, PageRankVariant variant, SameOutput<List<String>> output) {
    ChainCosts costs =
        console.step("Round %d, %s".formatted(round, variant.title()), () -> chain.run(variant));
    List<String> found = chain.digests(variant);
    if (found.isEmpty()) {
      throw new ClusterException("PageRank: %s put out no file".formatted(variant.title()));
    }
    output.add(variant.title(), found);
    chain.delete(variant);
    return costs;
  }

  /** A way to run the same unmodified driver on the same cluster. */
  public enum PageRankVariant implements Variant {
    /** Hadoop's own shuffle; the chain's files in HDFS. */
    STOCK("stock", HadoopVariant.STOCK, ""),
    /** The same with the archive of classes, which Sluice makes and any job can use. */
    STOCK_ARCHIVE("stock, archive of classes", HadoopVariant.STOCK, ""),
    /** Sluice's; the files as before. */
    SLUICE("Sluice", HadoopVariant.SLUICE, ""),
    /**
     * The same with the chain's files in the pools of the nodes: paths differ, and nothing else.
     */
    CLUSTER_FILES("Sluice, cluster files", HadoopVariant.SLUICE, "sluice://cluster");

    private final String title;
    private final HadoopVariant shuffle;
    private final String fileSystem;

    PageRankVariant(String title, HadoopVariant shuffle, String fileSystem) {
      this.title = title;
      this.shuffle = shuffle;
      this.fileSystem = fileSystem;
    }

    @Override
    public String title() {
      return title;
    }

    /** The settings that the driver gets by {@code -D}. */
    Map<String, String> settings(PseudoCluster cluster) {
      return this == STOCK ? shuffle.settings(cluster) : shuffle.settings();
    }

    /** The file system at the start of an output's URI; empty for HDFS. */
    String fileSystem() {
      return fileSystem;
    }

    boolean hasClusterFiles() {
      return !fileSystem.isEmpty();
    }
  }

  /**
   * PageRank of the module workloads: a driver that runs a job for each round and one before. The
   * graph is in HDFS, always.
   *
   * <p>Not thread-safe; the cluster is its caller's. A job that fails, or a result that is not
   * where it shall be, is a {@link ClusterException}.
   */
  static final class PageRankChain {
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
}
