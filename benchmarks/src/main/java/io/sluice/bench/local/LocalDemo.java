package io.sluice.bench.local;

import io.sluice.bench.Comparison;
import io.sluice.bench.CostPlot;
import io.sluice.bench.Figure;
import io.sluice.bench.Ratio;
import io.sluice.bench.ResultPage;
import io.sluice.bench.hadoop.Size;
import io.sluice.bench.hadoop.TextSource;
import io.sluice.it.cluster.ClusterException;
import io.sluice.it.cluster.HadoopDistribution;
import io.sluice.it.cluster.Workspace;
import io.sluice.it.local.ProcessCosts;
import io.sluice.it.report.Console;
import io.sluice.it.report.ResultFiles;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Function;

/**
 * TeraSort and WordCount on this machine and without a cluster: in stock's LocalJobRunner and in
 * the in-process engine, in turn, with equal outputs and a table of what each client's process
 * took.
 *
 * <p>Not thread-safe. A failed job or an output that differs is a {@link ClusterException}.
 */
public final class LocalDemo {
  private static final List<Ratio<LocalVariant>> RATIOS =
      List.of(
          new Ratio<>(LocalVariant.SLUICE, LocalVariant.STOCK),
          new Ratio<>(LocalVariant.SLUICE, LocalVariant.STOCK_PARALLEL));

  /** With less, two reduces at a time have no room for what stock shuffles. */
  private static final List<String> JVM_OPTIONS = List.of("-Xmx2g");

  private final Workspace workspace;
  private final Console console;
  private final long sizeBytes;
  private final List<LocalVariant> variants;

  private LocalDemo(
      Workspace workspace, Console console, long sizeBytes, List<LocalVariant> variants) {
    this.workspace = workspace;
    this.console = console;
    this.sizeBytes = sizeBytes;
    this.variants = variants;
  }

  /** Stock as it is by default, and Sluice. */
  public static LocalDemo demo(Workspace workspace, Console console, long sizeBytes) {
    return new LocalDemo(
        workspace, console, sizeBytes, List.of(LocalVariant.STOCK, LocalVariant.SLUICE));
  }

  /** Stock with as many tasks at a time as there are cores, too. */
  public static LocalDemo bench(Workspace workspace, Console console, long sizeBytes) {
    return new LocalDemo(workspace, console, sizeBytes, List.of(LocalVariant.values()));
  }

  /** What a variant's two jobs took. */
  private record Round(ProcessCosts sort, ProcessCosts count) {}

  /** Runs all rounds, and writes the results under that name. */
  public void run(int rounds, ResultFiles results, String name) {
    try (LocalPlace place = LocalPlace.open(workspace)) {
      run(rounds, results, name, place);
    }
  }

  private void run(int rounds, ResultFiles results, String name, LocalPlace place) {
    HadoopDistribution hadoop = place.hadoop();
    Path directory = place.directory();
    LocalJobs jobs =
        new LocalJobs(place.client("client", JVM_OPTIONS), hadoop.examplesJar(), directory);
    TextSource text = TextSource.prepare(directory);
    console.say("WordCount's text: %s, %s".formatted(text.title(), Size.show(text.lengthBytes())));
    console.step(
        "TeraGen, " + Size.show(sizeBytes),
        () -> {
          jobs.teraGen(sizeBytes);
          return null;
        });
    Comparison<LocalVariant, Round> comparison = new Comparison<>(RATIOS);
    for (int round = 1; round <= rounds; round++) {
      Map<LocalVariant, Round> costs = new EnumMap<>(LocalVariant.class);
      for (LocalVariant variant : variants) {
        ProcessCosts sort =
            console.step("TeraSort, " + variant.title(), () -> jobs.teraSort(variant));
        ProcessCosts count =
            console.step(
                "WordCount, " + variant.title(), () -> jobs.wordCount(variant, text.file()));
        costs.put(variant, new Round(sort, count));
      }
      comparison.add(costs);
      if (round == 1) {
        checkOutputs(jobs);
      }
    }
    ResultPage all = results(comparison, hadoop, name);
    all.show(console, results);
  }

  private static Figure<Round> share(String job, Function<Round, ProcessCosts> costs) {
    return LocalFigure.GC_SHARE.of(job, costs);
  }

  private void checkOutputs(LocalJobs jobs) {
    LocalVariant first = variants.get(0);
    Map<String, String> words = jobs.words(first);
    String report = jobs.teraReport(first);
    for (LocalVariant variant : variants) {
      if (!jobs.words(variant).equals(words)) {
        throw new ClusterException(
            "WordCount: %s and %s differ".formatted(variant.title(), first.title()));
      }
      if (variant != first && !jobs.teraReport(variant).equals(report)) {
        throw new ClusterException(
            "TeraSort: %s and %s differ".formatted(variant.title(), first.title()));
      }
    }
    console.say(
        "all outputs agree: TeraSort's are sorted with " + report + ", WordCount's the same bytes");
  }

  private ResultPage results(
      Comparison<LocalVariant, Round> comparison, HadoopDistribution hadoop, String name) {
    String title =
        "Hadoop %s in one process, TeraSort of %s and WordCount, rounds: %d"
            .formatted(hadoop.version(), Size.show(sizeBytes), comparison.rounds().size());
    List<Figure<Round>> figures = new ArrayList<>();
    figures.addAll(figures("TeraSort", Round::sort));
    figures.addAll(figures("WordCount", Round::count));
    return ResultPage.ofRounds(
        name,
        title,
        Map.of("teraSortBytes", sizeBytes),
        comparison.rounds(),
        comparison.table(figures),
        Map.of(
            "",
            plot(title, comparison),
            "-gc",
            GcShare.plot(
                title,
                comparison,
                List.of(share("TeraSort", Round::sort), share("WordCount", Round::count)))));
  }

  private static List<Figure<Round>> figures(String job, Function<Round, ProcessCosts> costs) {
    return LocalFigure.all().stream()
        .map(figure -> figure.of(job + ", " + figure.title(), costs))
        .toList();
  }

  private static CostPlot plot(String title, Comparison<LocalVariant, Round> comparison) {
    Ratio<LocalVariant> ratio = RATIOS.get(0);
    Map<String, List<CostPlot.Bar>> bars = new LinkedHashMap<>();
    for (LocalFigure figure : List.of(LocalFigure.WALL, LocalFigure.CPU)) {
      bars.put(
          figure.title(),
          List.of(
              comparison.bar(figures("TeraSort", Round::sort).get(figure.ordinal()), ratio),
              comparison.bar(figures("WordCount", Round::count).get(figure.ordinal()), ratio)));
    }
    return new CostPlot(
        title,
        ratio.of().title() + ", in per cent of " + ratio.base().title(),
        List.of("TeraSort", "WordCount"),
        bars);
  }
}
