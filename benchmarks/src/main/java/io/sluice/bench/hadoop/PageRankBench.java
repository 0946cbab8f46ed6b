package io.sluice.bench.hadoop;

import io.sluice.bench.Bench;
import io.sluice.bench.Comparison;
import io.sluice.bench.Comparison.Ratio;
import io.sluice.bench.Figure;
import io.sluice.bench.SameOutput;
import io.sluice.bench.hadoop.PageRankChain.ChainCosts;
import io.sluice.it.cluster.ClusterException;
import io.sluice.it.cluster.PseudoCluster;
import io.sluice.it.cluster.Workspace;
import io.sluice.it.report.Console;
import io.sluice.it.report.ResultFiles;
import java.util.List;
import java.util.Set;

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
}
