package io.sluice.bench.hadoop;

import io.sluice.bench.Bench;
import io.sluice.bench.Comparison;
import io.sluice.bench.Figure;
import io.sluice.bench.Ratio;
import io.sluice.bench.SameOutput;
import io.sluice.it.cluster.ClusterException;
import io.sluice.it.cluster.PseudoCluster;
import io.sluice.it.job.JobCosts;
import io.sluice.it.report.Console;
import io.sluice.it.report.ResultFiles;
import java.util.List;
import java.util.Set;
import java.util.stream.Stream;

/**
 * TeraSort in some variants in turn, several rounds on one cluster. The first output of the first
 * variant is validated, and all others must be the same bytes, so that no figure is one of a wrong
 * result.
 *
 * <p>Not thread-safe; the cluster is its caller's.
 */
public final class HadoopBench {
  private static final List<Figure<JobCosts>> FIGURES =
      figures(
          JobFigure.CPU,
          JobFigure.GC,
          JobFigure.SPILL_MERGE,
          JobFigure.LOCAL,
          JobFigure.WALL,
          JobFigure.SHUFFLE_MERGE,
          JobFigure.AFTER_MAPS,
          JobFigure.NODE_MANAGER_CPU,
          JobFigure.ALL_CPU,
          JobFigure.DEVICES,
          JobFigure.NETWORK,
          JobFigure.PEAK_MEMORY);

  private static final List<Ratio<HadoopVariant>> RATIOS =
      List.of(
          new Ratio<>(HadoopVariant.SLUICE, HadoopVariant.STOCK),
          new Ratio<>(HadoopVariant.SLUICE, HadoopVariant.TUNED),
          new Ratio<>(HadoopVariant.SLUICE_ARCHIVE, HadoopVariant.STOCK),
          new Ratio<>(HadoopVariant.SLUICE_ARCHIVE, HadoopVariant.TUNED),
          new Ratio<>(HadoopVariant.STOCK_ENCRYPTED, HadoopVariant.STOCK),
          new Ratio<>(HadoopVariant.SLUICE_ENCRYPTED, HadoopVariant.SLUICE),
          new Ratio<>(HadoopVariant.SLUICE_ENCRYPTED, HadoopVariant.STOCK_ENCRYPTED));

  private final PseudoCluster cluster;
  private final Console console;
  private final long sizeBytes;
  private final List<HadoopVariant> variants;
  private final Comparison<HadoopVariant, JobCosts> comparison = new Comparison<>(RATIOS);

  /**
   * Runs nothing yet.
   *
   * @param variants stock, and what shall run beside it; Sluice's need a cluster that has its jar
   */
  public HadoopBench(
      PseudoCluster cluster, Console console, long sizeBytes, Set<HadoopVariant> variants) {
    this.cluster = cluster;
    this.console = console;
    this.sizeBytes = sizeBytes;
    this.variants = variants.stream().sorted().toList();
    if (variants.stream().anyMatch(HadoopVariant::isOurs) && cluster.spec().sluice().isEmpty()) {
      throw new ClusterException("Sluice's jar for Hadoop is not built");
    }
  }

  private static List<Figure<JobCosts>> figures(JobFigure... figures) {
    return Stream.of(figures).map(JobFigure::figure).toList();
  }

  private Bench described(String name) {
    return Bench.of(name, this::title)
        .data("rounds", comparison::rounds)
        .table("", () -> comparison.table(FIGURES))
        .plot(
            "",
            title ->
                comparison.against(
                    HadoopVariant.STOCK,
                    variants,
                    title,
                    JobFigure.PLOTTED_UNIT,
                    figures(JobFigure.PLOTTED.toArray(JobFigure[]::new))));
  }

  private String title() {
    return "TeraSort %s, %d rounds, Hadoop %s"
        .formatted(
            Size.show(sizeBytes),
            comparison.rounds().size(),
            cluster.spec().distribution().version());
  }

  /** Runs all rounds and writes the results, under a name. */
  public void run(int rounds, ResultFiles results, String name) {
    TeraSort tera = new TeraSort(cluster, "/bench", sizeBytes);
    console.job("TeraGen, " + Size.show(sizeBytes), tera::generate);
    SameOutput<List<String>> output = new SameOutput<>("TeraSort");
    described(name)
        .run(
            rounds,
            round -> {
              comparison.add(
                  Bench.inTurn(
                      variants,
                      variant -> {
                        JobCosts costs =
                            console.job(
                                "Round %d, %s".formatted(round, variant.title()),
                                progress -> tera.measure(variant, progress));
                        output.add(variant.title(), tera.digests(variant));
                        return costs;
                      }));
              if (round == 1) {
                HadoopVariant first = variants.get(0);
                console.job(
                    "TeraValidate, " + first.title(), progress -> tera.validate(first, progress));
              }
            },
            console,
            results);
  }
}
