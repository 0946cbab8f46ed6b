package io.sluice.bench.chain;

import io.sluice.bench.Comparison;
import io.sluice.bench.CostPlot;
import io.sluice.bench.Figure;
import io.sluice.bench.Ratio;
import io.sluice.bench.ResultPage;
import io.sluice.bench.SameOutput;
import io.sluice.it.cluster.ClusterException;
import io.sluice.it.cluster.PseudoCluster;
import io.sluice.it.cluster.Workspace;
import io.sluice.it.report.Console;
import io.sluice.it.report.ResultFiles;
import java.util.EnumMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.DoubleFunction;

/**
 * PageRank's chain of jobs by all variants in turn, several rounds on one cluster, with equal
 * outputs: the last table of Flame-MR-It's paper with our numbers.
 *
 * <p>Not thread-safe; the cluster is its caller's. A failed job or an output that differs is a
 * {@link ClusterException}.
 */
public final class PageRankBench {
  private static final DoubleFunction<String> SECONDS = ms -> "%.1f s".formatted(ms / 1e3);

  private static final List<Figure<ChainCosts>> FIGURES =
      List.of(
          new Figure<>("wall", ChainCosts::wallMs, SECONDS),
          new Figure<>("CPU of all processes", ChainCosts::cpuMs, SECONDS),
          new Figure<>(
              "written to disks",
              ChainCosts::writtenBytes,
              bytes -> "%.0f MB".formatted(bytes / 1e6)));

  private static final List<Ratio<ChainVariant>> RATIOS =
      List.of(
          new Ratio<>(ChainVariant.STOCK_ARCHIVE, ChainVariant.STOCK),
          new Ratio<>(ChainVariant.SLUICE, ChainVariant.STOCK),
          new Ratio<>(ChainVariant.CLUSTER_FILES, ChainVariant.STOCK),
          new Ratio<>(ChainVariant.SLUICE, ChainVariant.STOCK_ARCHIVE),
          new Ratio<>(ChainVariant.CLUSTER_FILES, ChainVariant.SLUICE));

  private final Console console;
  private final PageRankChain chain;
  private final String hadoopVersion;
  private final long pages;
  private final int iterations;
  private final Set<ChainVariant> variants;

  /**
   * Of a graph of so many pages.
   *
   * @param variants stock, and what is measured beside it
   */
  public PageRankBench(
      Workspace workspace,
      PseudoCluster cluster,
      Console console,
      long pages,
      int iterations,
      Set<ChainVariant> variants) {
    this.console = console;
    this.chain = new PageRankChain(workspace, cluster, iterations);
    this.hadoopVersion = cluster.spec().distribution().version();
    this.pages = pages;
    this.iterations = iterations;
    this.variants = variants;
  }

  /** Runs all rounds and writes the results, after each round anew. */
  public void run(int rounds, ResultFiles results) {
    console.step("Graph of %,d pages".formatted(pages), () -> chain.generate(pages));
    Comparison<ChainVariant, ChainCosts> comparison = new Comparison<>(RATIOS);
    for (int round = 1; round <= rounds; round++) {
      comparison.add(round(round));
      results(comparison).write(results); // it may be ended before the last
    }
    ResultPage all = results(comparison);
    all.show(console, results);
  }

  private Map<ChainVariant, ChainCosts> round(int round) {
    Map<ChainVariant, ChainCosts> costs = new EnumMap<>(ChainVariant.class);
    SameOutput<List<String>> output = new SameOutput<>("PageRank");
    for (ChainVariant variant : variants) {
      costs.put(
          variant,
          console.step("Round %d, %s".formatted(round, variant.title()), () -> chain.run(variant)));
      List<String> found = chain.digests(variant);
      if (found.isEmpty()) {
        throw new ClusterException("PageRank: %s put out no file".formatted(variant.title()));
      }
      output.add(variant.title(), found);
      chain.delete(variant);
    }
    return costs;
  }

  private ResultPage results(Comparison<ChainVariant, ChainCosts> comparison) {
    String title =
        "PageRank, %d iterations of %,d pages, Hadoop %s, rounds: %d"
            .formatted(iterations, pages, hadoopVersion, comparison.rounds().size());
    Map<String, List<CostPlot.Bar>> bars = new LinkedHashMap<>();
    for (ChainVariant variant : variants) {
      Ratio<ChainVariant> ratio = new Ratio<>(variant, ChainVariant.STOCK);
      bars.put(
          variant.title(), FIGURES.stream().map(figure -> comparison.bar(figure, ratio)).toList());
    }
    return ResultPage.ofRounds(
        "bench-pagerank",
        title,
        Map.of("pages", pages, "iterations", iterations),
        comparison.rounds(),
        comparison.table(FIGURES),
        Map.of(
            "",
            new CostPlot(
                title, "per cent of stock", FIGURES.stream().map(Figure::title).toList(), bars)));
  }
}
