package io.sluice.bench.hadoop;

import io.sluice.bench.Bench;
import io.sluice.bench.Comparison;
import io.sluice.bench.Comparison.Ratio;
import io.sluice.bench.SameOutput;
import io.sluice.it.cluster.ClusterException;
import io.sluice.it.cluster.PseudoCluster;
import io.sluice.it.job.JobCosts;
import io.sluice.it.report.Console;
import io.sluice.it.report.ResultFiles;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * TeraSort in some variants in turn, several rounds on one cluster. The first output of the first
 * variant is validated, and all others must be the same bytes, so that no figure is one of a wrong
 * result.
 *
 * <p>Not thread-safe; the cluster is its caller's.
 *
 * @param cluster one that has Sluice's jar, if a variant of Sluice runs
 * @param console says what runs
 * @param sizeBytes TeraSort's input
 * @param variants stock, and others beside it, in their order
 */
public record HadoopBench(
    PseudoCluster cluster, Console console, long sizeBytes, Set<HadoopVariant> variants) {
  private static final List<Ratio<HadoopVariant>> RATIOS =
      List.of(
          new Ratio<>(HadoopVariant.SLUICE, HadoopVariant.STOCK),
          new Ratio<>(HadoopVariant.SLUICE, HadoopVariant.TUNED),
          new Ratio<>(HadoopVariant.SLUICE_ARCHIVE, HadoopVariant.STOCK),
          new Ratio<>(HadoopVariant.SLUICE_ARCHIVE, HadoopVariant.TUNED),
          new Ratio<>(HadoopVariant.STOCK_ENCRYPTED, HadoopVariant.STOCK),
          new Ratio<>(HadoopVariant.SLUICE_ENCRYPTED, HadoopVariant.SLUICE),
          new Ratio<>(HadoopVariant.SLUICE_ENCRYPTED, HadoopVariant.STOCK_ENCRYPTED));

  /** Checks that what shall run can run. */
  public HadoopBench {
    if (variants.stream().anyMatch(HadoopVariant::isOurs) && cluster.spec().sluice().isEmpty()) {
      throw new ClusterException("Sluice's jar for Hadoop is not built");
    }
  }

  /** Runs all rounds and writes the results, under a name. */
  public void run(int rounds, ResultFiles results, String name) {
    TeraSort tera = new TeraSort(cluster, "/bench", sizeBytes);
    console.job("TeraGen, " + Size.show(sizeBytes), tera::generate);
    Comparison<HadoopVariant, JobCosts> comparison = new Comparison<>(RATIOS);
    SameOutput<List<String>> output = new SameOutput<>("TeraSort");
    String hadoop = cluster.spec().distribution().version();
    Bench.of(name, "TeraSort %s, Hadoop %s", Size.show(sizeBytes), hadoop)
        .rounds(comparison)
        .table("", comparison, JobFigure.MEASURED)
        .bars("", comparison, HadoopVariant.STOCK, JobFigure.PLOTTED_UNIT, JobFigure.PLOTTED)
        .run(rounds, comparison, round -> round(tera, round, output), console, results);
  }

  private Map<HadoopVariant, JobCosts> round(
      TeraSort tera, int round, SameOutput<List<String>> output) {
    Map<HadoopVariant, JobCosts> costs =
        Bench.inTurn(
            variants,
            variant -> {
              JobCosts measured =
                  console.job(
                      "Round %d, %s".formatted(round, variant.title()),
                      progress -> tera.measure(variant, progress));
              output.add(variant.title(), tera.digests(variant));
              return measured;
            });
    if (round == 1) {
      HadoopVariant first = variants.iterator().next();
      console.job("TeraValidate, " + first.title(), progress -> tera.validate(first, progress));
    }
    return costs;
  }
}
