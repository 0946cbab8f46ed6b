package io.sluice.bench.hadoop;

import io.sluice.bench.Comparison;
import io.sluice.bench.CostPlot;
import io.sluice.bench.Figure;
import io.sluice.bench.Ratio;
import io.sluice.bench.ResultPage;
import io.sluice.bench.SameOutput;
import io.sluice.it.cluster.ClusterException;
import io.sluice.it.cluster.PseudoCluster;
import io.sluice.it.job.JobCosts;
import io.sluice.it.report.Console;
import io.sluice.it.report.ResultFiles;
import java.util.EnumMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Stream;

/**
 * TeraSort in some variants in turn, several rounds on one cluster: figures, never assertions.
 * Stock's first output is validated, and all others are the same bytes, so that no figure is one of
 * a wrong result.
 *
 * <p>Not thread-safe; the cluster is its caller's.
 */
public final class HadoopBench {
  private static final List<Figure<JobCosts>> FIGURES =
      Stream.of(
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
              JobFigure.PEAK_MEMORY)
          .map(JobFigure::figure)
          .toList();

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
  private final String resultName;
  private final List<HadoopVariant> variants;

  /**
   * Runs nothing yet.
   *
   * @param resultName of the files
   * @param variants stock, and what shall run beside it; Sluice's need a cluster that has its jar
   */
  public HadoopBench(
      PseudoCluster cluster,
      Console console,
      long sizeBytes,
      String resultName,
      Set<HadoopVariant> variants) {
    this.cluster = cluster;
    this.console = console;
    this.sizeBytes = sizeBytes;
    this.resultName = resultName;
    this.variants = variants.stream().sorted().toList();
    if (variants.stream().anyMatch(HadoopVariant::isOurs) && cluster.spec().sluice().isEmpty()) {
      throw new ClusterException("Sluice's jar for Hadoop is not built");
    }
  }

  /** Runs all rounds and writes the results. */
  public void run(int rounds, ResultFiles results) {
    TeraSort tera = new TeraSort(cluster, "/bench", sizeBytes);
    console.job("TeraGen, " + Size.show(sizeBytes), tera::generate);
    Comparison<HadoopVariant, JobCosts> comparison = new Comparison<>(RATIOS);
    SameOutput<List<String>> output = new SameOutput<>("TeraSort");
    for (int round = 1; round <= rounds; round++) {
      comparison.add(round(tera, round, output));
      if (round == 1) {
        HadoopVariant first = variants.get(0);
        console.job("TeraValidate, " + first.title(), progress -> tera.validate(first, progress));
      }
    }
    write(comparison, results);
  }

  private Map<HadoopVariant, JobCosts> round(
      TeraSort tera, int round, SameOutput<List<String>> output) {
    Map<HadoopVariant, JobCosts> costs = new EnumMap<>(HadoopVariant.class);
    for (HadoopVariant variant : variants) {
      costs.put(
          variant,
          console.job(
              "Round %d, %s".formatted(round, variant.title()),
              progress -> tera.measure(variant, progress)));
      output.add(variant.title(), tera.digests(variant));
    }
    return costs;
  }

  private void write(Comparison<HadoopVariant, JobCosts> comparison, ResultFiles results) {
    String title =
        "TeraSort %s, %d rounds, Hadoop %s"
            .formatted(
                Size.show(sizeBytes),
                comparison.rounds().size(),
                cluster.spec().distribution().version());
    ResultPage all =
        ResultPage.ofRounds(
            resultName,
            title,
            Map.of(),
            comparison.rounds(),
            comparison.table(FIGURES),
            Map.of("", plot(title, comparison)));
    all.show(console, results);
  }

  private static CostPlot plot(String title, Comparison<HadoopVariant, JobCosts> comparison) {
    Map<String, List<CostPlot.Bar>> bars = new LinkedHashMap<>();
    for (HadoopVariant variant : comparison.variants()) {
      Ratio<HadoopVariant> ratio = new Ratio<>(variant, HadoopVariant.STOCK);
      bars.put(
          variant.title(),
          JobFigure.PLOTTED.stream()
              .map(figure -> comparison.bar(figure.figure(), ratio))
              .toList());
    }
    return new CostPlot(
        title,
        JobFigure.PLOTTED_UNIT,
        JobFigure.PLOTTED.stream().map(JobFigure::title).toList(),
        bars);
  }
}
