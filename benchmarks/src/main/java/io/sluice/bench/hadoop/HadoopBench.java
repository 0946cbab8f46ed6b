package io.sluice.bench.hadoop;

import io.sluice.bench.Bench;
import io.sluice.bench.Bench.SameOutput;
import io.sluice.bench.Comparison;
import io.sluice.bench.Comparison.Ratio;
import io.sluice.bench.Figure;
import io.sluice.it.cluster.ClusterException;
import io.sluice.it.cluster.PseudoCluster;
import io.sluice.it.job.JobCosts;
import io.sluice.it.report.Console;
import io.sluice.it.report.ResultFiles;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.ToDoubleFunction;

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

  /** Figures of a job's costs. */
  static final class JobFigure {
    static final Figure<JobCosts> WALL = Figure.seconds("wall", JobCosts::wallMs);
    static final Figure<JobCosts> CPU = Figure.seconds("CPU of all tasks", JobCosts::cpuMs);
    static final Figure<JobCosts> SPILL_MERGE =
        Figure.seconds("map spill+merge", costs -> costs.maps().spillAndMergeMs());
    static final Figure<JobCosts> SHUFFLE_MERGE =
        Figure.seconds(
            "reduce shuffle+merge", costs -> costs.reduceShuffleMs() + costs.reduceMergeMs());
    static final Figure<JobCosts> AFTER_MAPS =
        Figure.seconds("reduce shuffle+merge after the last map", JobCosts::reduceAfterMapsMs);
    static final Figure<JobCosts> GC = Figure.seconds("garbage collection", JobCosts::gcMs);
    static final Figure<JobCosts> LOCAL =
        megabytes("local disk read+written", JobCosts::localBytes);
    static final Figure<JobCosts> NODE_MANAGER_CPU =
        Figure.seconds("NodeManagers' own CPU", JobCosts::nodeManagerCpuMs);
    static final Figure<JobCosts> PEAK_MEMORY =
        megabytes("most memory of a task", JobCosts::peakTaskBytes);

    /** The rows of a bench, where the host was measured, too. */
    static final List<Figure<JobCosts>> MEASURED =
        List.of(
            CPU,
            GC,
            SPILL_MERGE,
            LOCAL,
            WALL,
            SHUFFLE_MERGE,
            AFTER_MAPS,
            NODE_MANAGER_CPU,
            Figure.seconds("CPU of daemons and containers", costs -> costs.host().cpuMs()),
            megabytes("devices read+written", costs -> costs.host().deviceBytes()),
            megabytes("network", costs -> costs.host().networkBytes()),
            PEAK_MEMORY);

    /** The rows of the demo. */
    static final List<Figure<JobCosts>> SHOWN =
        List.of(
            WALL,
            CPU,
            Figure.seconds("map read+map+collect", costs -> costs.maps().collectMs()),
            SPILL_MERGE,
            SHUFFLE_MERGE,
            AFTER_MAPS,
            GC,
            megabytes("local disk read", JobCosts::localReadBytes),
            megabytes("local disk written", JobCosts::localWrittenBytes),
            new Figure<>("spilled records", JobCosts::spilledRecords, "%,.0f"::formatted),
            NODE_MANAGER_CPU,
            PEAK_MEMORY);

    /** The bars of plots, from left to right. */
    static final List<Figure<JobCosts>> PLOTTED =
        List.of(WALL, CPU, SPILL_MERGE, SHUFFLE_MERGE, LOCAL);

    /** The unit of the bars. */
    static final String PLOTTED_UNIT = "per cent of stock defaults";

    private JobFigure() {}

    private static Figure<JobCosts> megabytes(String title, ToDoubleFunction<JobCosts> valueBytes) {
      return new Figure<>(title, valueBytes, bytes -> "%.2f MB".formatted(bytes / 1e6));
    }
  }
}
