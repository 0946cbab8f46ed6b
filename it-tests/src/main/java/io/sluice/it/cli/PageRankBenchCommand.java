package io.sluice.it.cli;

import io.sluice.bench.hadoop.PageRankBench;
import io.sluice.bench.hadoop.PageRankBench.PageRankVariant;
import io.sluice.it.cluster.PseudoCluster;
import io.sluice.it.cluster.Workspace;
import io.sluice.it.report.Console;
import io.sluice.it.report.ResultFiles;
import java.util.EnumSet;
import java.util.Set;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** {@code sluice bench pagerank}. */
@Command(
    name = "pagerank",
    description =
        "Measures PageRank's chain of jobs on YARN: stock, Sluice, and Sluice with the files between"
            + " the jobs in the nodes' pools.",
    mixinStandardHelpOptions = true)
final class PageRankBenchCommand extends MeasuringCommand {
  @Mixin private ClusterOptions clusterOptions;

  @Option(
      names = "--size",
      paramLabel = "SIZE",
      converter = SizeConverter.class,
      defaultValue = "1m",
      description = "Number of pages in the graph, such as 400k (default: ${DEFAULT-VALUE}).")
  private long pages;

  @Option(
      names = "--iterations",
      paramLabel = "COUNT",
      converter = CountConverter.class,
      defaultValue = "5",
      description = "Iterations of PageRank (default: ${DEFAULT-VALUE}, as in the paper).")
  private int iterations;

  @Option(names = "--engines", paramLabel = "NAME", split = ",", description = Engines.DESCRIPTION)
  private Set<PageRankVariant> variants = EnumSet.allOf(PageRankVariant.class);

  @Override
  void run(Workspace workspace, Console console, int rounds, ResultFiles results) {
    try (PseudoCluster cluster = clusterOptions.start(workspace, console)) {
      new PageRankBench(
              workspace,
              cluster,
              console,
              pages,
              iterations,
              Engines.withStock(PageRankVariant.STOCK, variants))
          .run(rounds, results);
    }
  }
}
