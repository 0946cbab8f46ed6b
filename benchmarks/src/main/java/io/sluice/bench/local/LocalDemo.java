package io.sluice.bench.local;

import io.sluice.bench.Bench;
import io.sluice.bench.Comparison;
import io.sluice.bench.Comparison.Ratio;
import io.sluice.bench.Comparison.Variant;
import io.sluice.bench.Figure;
import io.sluice.bench.Plot.CostPlot;
import io.sluice.bench.hadoop.Size;
import io.sluice.bench.hadoop.WordCountJob.TextSource;
import io.sluice.bench.local.LocalDemo.LocalJobs.LocalVariant;
import io.sluice.it.cluster.ClusterException;
import io.sluice.it.cluster.Workspace;
import io.sluice.it.local.LocalJobClient;
import io.sluice.it.local.LocalJobClient.ProcessCosts;
import io.sluice.it.report.Console;
import io.sluice.it.report.ResultFiles;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Stream;

/**
 * TeraSort and WordCount on this machine and without a cluster: in stock's LocalJobRunner and in
 * the in-process engine, in turn, with equal outputs and a table of what each client's process
 * took.
 *
 * <p>Not thread-safe. A failed job or an output that differs is a {@link ClusterException}.
 *
 * @param workspace has the jars
 * @param console says what runs
 * @param sizeBytes TeraSort's input
 * @param variants in their order
 */
public record LocalDemo(
    Workspace workspace, Console console, long sizeBytes, List<LocalVariant> variants) {
  private static final Ratio<LocalVariant> TO_STOCK =
      new Ratio<>(LocalVariant.SLUICE, LocalVariant.STOCK);

  /** With less, two reduces at a time have no room for what stock shuffles. */
  private static final List<String> JVM_OPTIONS = List.of("-Xmx2g");

  /** Stock as it is by default, and Sluice. */
  public static LocalDemo demo(Workspace workspace, Console console, long sizeBytes) {
    return new LocalDemo(
        workspace, console, sizeBytes, List.of(LocalVariant.STOCK, LocalVariant.SLUICE));
  }

  /** Stock with as many tasks at a time as there are cores, too. */
  public static LocalDemo bench(Workspace workspace, Console console, long sizeBytes) {
    return new LocalDemo(workspace, console, sizeBytes, List.of(LocalVariant.values()));
  }

  /** The costs of a variant's two jobs. */
  private record Round(ProcessCosts sort, ProcessCosts count) {}

  /** Runs all rounds, and writes the results under that name. */
  public void run(int rounds, ResultFiles results, String name) {
    Comparison<LocalVariant, Round> comparison =
        new Comparison<>(
            List.of(TO_STOCK, new Ratio<>(LocalVariant.SLUICE, LocalVariant.STOCK_PARALLEL)));
    try (LocalPlace place = LocalPlace.open(workspace)) {
      LocalJobs jobs =
          new LocalJobs(
              place.client("client", JVM_OPTIONS), place.hadoop().examplesJar(), place.directory());
      TextSource text = TextSource.prepare(place.directory());
      console.say(
          "WordCount's text: %s, %s".formatted(text.title(), Size.show(text.lengthBytes())));
      console.step(
          "TeraGen, " + Size.show(sizeBytes),
          () -> {
            jobs.teraGen(sizeBytes);
            return null;
          });
      Bench.of(
              name,
              "Hadoop %s in one process, TeraSort of %s and WordCount",
              place.hadoop().version(),
              Size.show(sizeBytes))
          .data("teraSortBytes", sizeBytes)
          .rounds(comparison)
          .table("", comparison, figures())
          .plot("", title -> plot(title, comparison))
          .shares("-gc", comparison, LocalFigure.GC_PLOT_UNIT, ofBothJobs(LocalFigure.GC_SHARE))
          .run(rounds, comparison, round -> round(jobs, text, round), console, results);
    }
  }

  private Map<LocalVariant, Round> round(LocalJobs jobs, TextSource text, int round) {
    Map<LocalVariant, Round> costs =
        Bench.inTurn(variants, variant -> measure(jobs, text, variant));
    if (round == 1) {
      checkOutputs(jobs);
    }
    return costs;
  }

  private Round measure(LocalJobs jobs, TextSource text, LocalVariant variant) {
    return new Round(
        console.step("TeraSort, " + variant.title(), () -> jobs.teraSort(variant)),
        console.step("WordCount, " + variant.title(), () -> jobs.wordCount(variant, text.file())));
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

  private static List<Figure<Round>> figures() {
    List<Figure<Round>> figures = new ArrayList<>();
    LocalFigure.ALL.forEach(
        figure -> figures.add(figure.of("TeraSort, " + figure.title(), Round::sort)));
    LocalFigure.ALL.forEach(
        figure -> figures.add(figure.of("WordCount, " + figure.title(), Round::count)));
    return figures;
  }

  private static List<Figure<Round>> ofBothJobs(Figure<ProcessCosts> figure) {
    return List.of(figure.of("TeraSort", Round::sort), figure.of("WordCount", Round::count));
  }

  private static CostPlot plot(String title, Comparison<LocalVariant, Round> comparison) {
    Map<String, List<CostPlot.Bar>> bars = new LinkedHashMap<>();
    for (Figure<ProcessCosts> figure : List.of(LocalFigure.WALL, LocalFigure.CPU)) {
      bars.put(
          figure.title(),
          ofBothJobs(figure).stream().map(each -> comparison.bar(each, TO_STOCK)).toList());
    }
    return new CostPlot(
        title,
        TO_STOCK.of().title() + ", in per cent of " + TO_STOCK.base().title(),
        List.of("TeraSort", "WordCount"),
        bars);
  }

  /**
   * Hadoop's example jobs over files of this machine, each run by a client of its own, and whether
   * their outputs are right.
   *
   * <p>Not thread-safe. A job that fails or an output that is wrong is a {@link ClusterException}.
   */
  static final class LocalJobs {
    private static final int ROW_LENGTH_BYTES = 100;
    private static final int REDUCES = 2;
    private static final long SPLIT_BYTES = 128L << 20;

    private final LocalJobClient client;
    private final Path examples;
    private final Path directory;

    /** Keeps all files below that directory, which is its caller's. */
    LocalJobs(LocalJobClient client, Path examples, Path directory) {
      this.client = client;
      this.examples = examples;
      this.directory = directory;
    }

    Path path(String name) {
      return directory.resolve(name);
    }

    private ProcessCosts run(LocalVariant variant, String program, String... arguments) {
      List<String> command = new ArrayList<>(List.of(program));
      command.addAll(variant.settings());
      command.add("-Dmapreduce.job.reduces=" + REDUCES);
      command.add("-Dmapreduce.input.fileinputformat.split.minsize=" + SPLIT_BYTES);
      command.add("-Dhadoop.tmp.dir=" + path("tmp"));
      command.addAll(List.of(arguments));
      return client.run(examples, command);
    }

    private static String uri(Path path) {
      return path.toUri().toString();
    }

    /** Makes TeraSort's input, once. */
    void teraGen(long sizeBytes) {
      run(
          LocalVariant.SLUICE,
          "teragen",
          "-Dmapreduce.job.maps=2",
          Long.toString(sizeBytes / ROW_LENGTH_BYTES),
          uri(path("tera")));
    }

    /** Sorts it; what an earlier run has put out is removed, and counted for none. */
    ProcessCosts teraSort(LocalVariant variant) {
      Path output = fresh("sorted-" + variant);
      return run(variant, "terasort", uri(path("tera")), uri(output));
    }

    /** TeraValidate's report: the checksum of all records, if they are in order. */
    String teraReport(LocalVariant variant) {
      return teraReport(path("sorted-" + variant));
    }

    /** The same of any output below the directory. */
    String teraReport(Path sorted) {
      Path report = fresh("report-" + sorted.getFileName());
      run(LocalVariant.STOCK, "teravalidate", uri(sorted), uri(report));
      String text = String.join("", contents(report).values());
      if (!text.matches("checksum\t[0-9a-f]+\n")) {
        throw new ClusterException("TeraSort, %s: %s".formatted(sorted.getFileName(), text));
      }
      return text.strip();
    }

    ProcessCosts wordCount(LocalVariant variant, Path text) {
      Path output = fresh("words-" + variant);
      return run(variant, "wordcount", uri(text), uri(output));
    }

    /** WordCount's output, by file. */
    Map<String, String> words(LocalVariant variant) {
      return contents(path("words-" + variant));
    }

    private Path fresh(String name) {
      Path output = path(name);
      Workspace.delete(output);
      return output;
    }

    private static Map<String, String> contents(Path output) {
      Map<String, String> byFile = new TreeMap<>();
      try (Stream<Path> files = Files.list(output)) {
        for (Path file :
            files.filter(each -> !each.getFileName().toString().startsWith(".")).toList()) {
          byFile.put(file.getFileName().toString(), Files.readString(file));
        }
      } catch (IOException e) {
        throw new UncheckedIOException("cannot read " + output, e);
      }
      return byFile;
    }

    /** The engine that runs a job in its client's process. */
    public enum LocalVariant implements Variant {
      /** As it is by default: one task at a time. */
      STOCK("LocalJobRunner", "-Dmapreduce.framework.name=local"),
      /** The same with a task for each core. */
      STOCK_PARALLEL(
          "LocalJobRunner, parallel",
          "-Dmapreduce.framework.name=local",
          "-Dmapreduce.local.map.tasks.maximum=" + Runtime.getRuntime().availableProcessors(),
          "-Dmapreduce.local.reduce.tasks.maximum=" + Runtime.getRuntime().availableProcessors()),
      SLUICE("Sluice", "-Dmapreduce.framework.name=sluice");

      private final String title;
      private final List<String> settings;

      LocalVariant(String title, String... settings) {
        this.title = title;
        this.settings = List.of(settings);
      }

      @Override
      public String title() {
        return title;
      }

      /** Among a job's generic options. */
      List<String> settings() {
        return settings;
      }
    }
  }
}
