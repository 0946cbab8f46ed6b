package io.sluice.bench.local;

import io.sluice.bench.Comparison;
import io.sluice.bench.CostPlot;
import io.sluice.bench.Figure;
import io.sluice.bench.LinePlot;
import io.sluice.bench.Plot;
import io.sluice.bench.Ratio;
import io.sluice.bench.ResultPage;
import io.sluice.bench.hadoop.Size;
import io.sluice.it.cluster.HadoopDistribution;
import io.sluice.it.local.ProcessCosts;
import io.sluice.it.report.Machine;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import java.util.stream.IntStream;

/**
 * The page of chains: a table, targets, and plots of costs, of each job's time, and of garbage
 * collection.
 *
 * <p>Not thread-safe.
 */
final class ChainResults {
  private static final Figure<ChainRound> WALL = LocalFigure.WALL.of("wall", ChainResults::sorts);

  private final HadoopDistribution hadoop;
  private final long sizeBytes;
  private final Comparison<ChainVariant, ChainRound> comparison;

  /** Of all rounds that are there when it is asked. */
  ChainResults(
      HadoopDistribution hadoop, long sizeBytes, Comparison<ChainVariant, ChainRound> comparison) {
    this.hadoop = hadoop;
    this.sizeBytes = sizeBytes;
    this.comparison = comparison;
  }

  private static ProcessCosts sorts(ChainRound round) {
    return round.sorts().process();
  }

  private static String seconds(double ms) {
    return "%.2f s".formatted(ms / 1e3);
  }

  private static List<Figure<ChainRound>> figures() {
    List<Figure<ChainRound>> figures = new ArrayList<>();
    for (LocalFigure figure : LocalFigure.all()) {
      figures.add(figure.of("sorts, " + figure.title(), ChainResults::sorts));
    }
    IntStream.range(0, ChainRound.SORTS)
        .forEach(
            job ->
                figures.add(
                    new Figure<>(
                        "sort " + (job + 1),
                        round -> round.sorts().jobs().get(job).wallMs(),
                        ChainResults::seconds)));
    figures.add(LocalFigure.WALL.of("trivial jobs, wall", round -> round.trivial().process()));
    figures.add(LocalFigure.CPU.of("trivial jobs, CPU", round -> round.trivial().process()));
    figures.add(
        new Figure<>(
            "trivial job 1",
            round -> round.trivial().jobs().get(0).wallMs(),
            ChainResults::seconds));
    figures.add(
        new Figure<>(
            "a later trivial job, median",
            round -> round.laterTrivialMs().median(),
            ChainResults::seconds));
    figures.add(
        new Figure<>(
            "a later trivial job, longest",
            round -> round.laterTrivialMs().max(),
            ChainResults::seconds));
    return figures;
  }

  ResultPage page() {
    String title =
        "%d sorts in a chain over %s and %d trivial jobs, Hadoop %s in one process, rounds: %d"
            .formatted(
                ChainRound.SORTS,
                Size.show(sizeBytes),
                ChainRound.TRIVIAL_JOBS,
                hadoop.version(),
                comparison.rounds().size());
    Map<String, Object> data = new LinkedHashMap<>();
    data.put("sizeBytes", sizeBytes);
    data.put("rounds", comparison.rounds());
    Map<String, Plot> plots = new LinkedHashMap<>();
    plots.put("", costs(title));
    plots.put("-jobs", jobs(title));
    plots.put(
        "-gc",
        GcShare.plot(
            title,
            comparison,
            List.of(
                LocalFigure.GC_SHARE.of("sorts", ChainResults::sorts),
                LocalFigure.GC_SHARE.of("trivial jobs", round -> round.trivial().process()))));
    return new ResultPage(
        "bench-chain",
        title,
        Machine.here(),
        data,
        Map.of("", comparison.table(figures())),
        notes(),
        plots);
  }

  private List<String> notes() {
    double wall = comparison.bar(WALL, memoryToStock()).percent() / 100;
    String written =
        comparison
            .values(LocalFigure.DISK_WRITE.of("", ChainResults::sorts), ChainVariant.SLUICE_MEMORY)
            .show(bytes -> Size.show(Math.round(bytes)));
    String later =
        comparison
            .values(
                new Figure<>("", round -> round.laterTrivialMs().median(), ms -> ""),
                ChainVariant.SLUICE_FILES)
            .show(ChainResults::seconds);
    return List.of(
        "Targets: the sorts with all files in memory in at most 0.4 of LocalJobRunner's time: %.3f;"
                .formatted(wall)
            + " nothing to disk: %s; a later trivial job in at most 0.15 s: %s on files."
                .formatted(written, later),
        "Wall, CPU, garbage collection, bytes and memory are the whole process's, its start too; a"
            + " job's time is what its client waits. LocalJobRunner's clients look once a second"
            + " whether a job has ended, which is most of its trivial jobs' time. The CPU of garbage"
            + " collection is that of the collector's threads and of the VM thread. Every job"
            + " counts as many records out as in; a round before these has compared the outputs.");
  }

  private static Ratio<ChainVariant> memoryToStock() {
    return new Ratio<>(ChainVariant.SLUICE_MEMORY, ChainVariant.STOCK);
  }

  private CostPlot costs(String title) {
    List<Figure<ChainRound>> plotted =
        List.of(
            WALL,
            LocalFigure.CPU.of("CPU", ChainResults::sorts),
            LocalFigure.DISK_WRITE.of("written to disk", ChainResults::sorts),
            new Figure<>(
                "a later trivial job",
                round -> round.laterTrivialMs().median(),
                ChainResults::seconds));
    Map<String, List<CostPlot.Bar>> bars = new LinkedHashMap<>();
    for (ChainVariant variant : List.of(ChainVariant.SLUICE_FILES, ChainVariant.SLUICE_MEMORY)) {
      Ratio<ChainVariant> ratio = new Ratio<>(variant, ChainVariant.STOCK);
      bars.put(
          variant.title(), plotted.stream().map(figure -> comparison.bar(figure, ratio)).toList());
    }
    return new CostPlot(
        title, "in per cent of LocalJobRunner", plotted.stream().map(Figure::title).toList(), bars);
  }

  private LinePlot jobs(String title) {
    Map<String, List<LinePlot.Point>> series = new LinkedHashMap<>();
    for (ChainVariant variant : ChainVariant.values()) {
      series.put("sort, " + variant.title(), line(variant, ChainRound.SORTS, ChainRound::sorts));
      series.put(
          "trivial, " + variant.title(),
          line(variant, ChainRound.TRIVIAL_JOBS, ChainRound::trivial));
    }
    return new LinePlot(title, "number of the job in its chain", "s", series);
  }

  private List<LinePlot.Point> line(
      ChainVariant variant, int jobs, Function<ChainRound, ChainRun> chain) {
    return IntStream.range(0, jobs)
        .mapToObj(
            job ->
                LinePlot.Point.of(
                    job + 1,
                    comparison.values(
                        new Figure<>(
                            "",
                            round -> chain.apply(round).jobs().get(job).wallMs() / 1e3,
                            s -> ""),
                        variant)))
        .toList();
  }
}
