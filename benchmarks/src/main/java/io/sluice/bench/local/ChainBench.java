package io.sluice.bench.local;

import io.sluice.bench.Bench;
import io.sluice.bench.Bench.SameOutput;
import io.sluice.bench.Comparison;
import io.sluice.bench.Comparison.Ratio;
import io.sluice.bench.Comparison.Variant;
import io.sluice.bench.Figure;
import io.sluice.bench.Figure.Spread;
import io.sluice.bench.Plot.LinePlot;
import io.sluice.bench.hadoop.Size;
import io.sluice.bench.local.ChainBench.ChainJobs.ChainRun;
import io.sluice.bench.local.ChainBench.ChainJobs.ChainVariant;
import io.sluice.bench.local.ChainBench.ChainJobs.JobTime;
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
import java.util.function.Function;
import java.util.stream.IntStream;

/**
 * Chains of jobs in one process, each job on what the one before has put out: four sorts, and some
 * jobs with next to nothing to do. LocalJobRunner on files, the engine on files, and the engine
 * with all files in memory, in turn.
 *
 * <p>Not thread-safe. A failed job or an output that differs is a {@link ClusterException}.
 *
 * @param workspace has the jars
 * @param console says what runs
 * @param sizeBytes of the sorts
 */
public record ChainBench(Workspace workspace, Console console, long sizeBytes) {
  static final int RECORD_BYTES = 100;
  private static final int FILES = 4;
  private static final int SORTS = 4;
  private static final int TRIVIAL_JOBS = 9;
  private static final long TRIVIAL_RECORDS = 1_000;
  private static final List<ChainVariant> VARIANTS = List.of(ChainVariant.values());

  private static final Figure<Round> LATER_TRIVIAL =
      Figure.fineSeconds("a later trivial job, median", round -> round.laterTrivialMs().median());

  private static final List<Figure<Round>> PLOTTED =
      List.of(
          LocalFigure.WALL.of("wall", Round::ofSorts),
          LocalFigure.CPU.of("CPU", Round::ofSorts),
          LocalFigure.DISK_WRITE.of("written to disk", Round::ofSorts),
          LATER_TRIVIAL.titled("a later trivial job"));
  private static final List<Figure<Round>> GC_SHARES =
      List.of(
          LocalFigure.GC_SHARE.of("sorts", Round::ofSorts),
          LocalFigure.GC_SHARE.of("trivial jobs", Round::ofTrivial));

  /**
   * The costs of a variant's two chains in a round.
   *
   * @param sorts of all the data
   * @param trivial of next to none
   */
  record Round(ChainRun sorts, ChainRun trivial) {
    private ProcessCosts ofSorts() {
      return sorts.process();
    }

    private ProcessCosts ofTrivial() {
      return trivial.process();
    }

    /** Times of all trivial jobs but the first, in ms. */
    private Spread laterTrivialMs() {
      List<JobTime> jobs = trivial.jobs();
      return Spread.of(
          jobs.subList(1, jobs.size()).stream().map(job -> (double) job.wallMs()).toList());
    }
  }

  /** Runs a round that is not counted, and then so many. */
  public void run(int rounds, ResultFiles results) {
    Comparison<ChainVariant, Round> comparison =
        new Comparison<>(
            Ratio.against(
                ChainVariant.STOCK, ChainVariant.SLUICE_FILES, ChainVariant.SLUICE_MEMORY));
    try (LocalPlace place = LocalPlace.open(workspace)) {
      ChainJobs jobs = new ChainJobs(place);
      console.step(
          "Records, " + Size.show(sizeBytes),
          () -> {
            jobs.generate("records", sizeBytes / RECORD_BYTES, FILES);
            jobs.generate("few-records", TRIVIAL_RECORDS, 1);
            return null;
          });
      warmUp(jobs);
      Bench.of(
              "bench-chain",
              "%d sorts in a chain over %s and %d trivial jobs, Hadoop %s in one process",
              SORTS,
              Size.show(sizeBytes),
              TRIVIAL_JOBS,
              place.hadoop().version())
          .data("sizeBytes", sizeBytes)
          .rounds(comparison)
          .table("", comparison, figures())
          .notes(() -> notes(comparison))
          .bars("", comparison, "in per cent of LocalJobRunner", PLOTTED)
          .plot("-jobs", title -> jobTimes(title, comparison))
          .shares("-gc", comparison, LocalFigure.GC_PLOT_UNIT, GC_SHARES)
          .run(
              rounds,
              comparison,
              round -> Bench.inTurn(VARIANTS, variant -> measure(jobs, variant)),
              console,
              results);
    }
  }

  /** Checks the outputs, too, which is in no figure. */
  private void warmUp(ChainJobs jobs) {
    SameOutput<String> output = new SameOutput<>("chain of sorts");
    for (ChainVariant variant : VARIANTS) {
      List<JobTime> times =
          console
              .step(
                  "Warm-up and check, " + variant.title(),
                  () -> jobs.run(variant, "records", SORTS, true))
              .jobs();
      output.add(variant.title(), times.get(times.size() - 1).result());
    }
    console.say("all outputs agree and are in order: records and their sum are " + output.get());
  }

  private Round measure(ChainJobs jobs, ChainVariant variant) {
    return new Round(
        console.step(
            "%d sorts, %s".formatted(SORTS, variant.title()),
            () -> jobs.run(variant, "records", SORTS, false)),
        console.step(
            "%d trivial jobs, %s".formatted(TRIVIAL_JOBS, variant.title()),
            () -> jobs.run(variant, "few-records", TRIVIAL_JOBS, false)));
  }

  private static List<Figure<Round>> figures() {
    List<Figure<Round>> figures = new ArrayList<>();
    for (Figure<ProcessCosts> figure : LocalFigure.ALL) {
      figures.add(figure.of("sorts, " + figure.title(), Round::ofSorts));
    }
    for (int job = 0; job < SORTS; job++) {
      figures.add(jobTime("sort " + (job + 1), Round::sorts, job));
    }
    figures.add(LocalFigure.WALL.of("trivial jobs, wall", Round::ofTrivial));
    figures.add(LocalFigure.CPU.of("trivial jobs, CPU", Round::ofTrivial));
    figures.add(jobTime("trivial job 1", Round::trivial, 0));
    figures.add(LATER_TRIVIAL);
    figures.add(
        Figure.fineSeconds("a later trivial job, longest", round -> round.laterTrivialMs().max()));
    return figures;
  }

  private static Figure<Round> jobTime(String title, Function<Round, ChainRun> chain, int job) {
    return Figure.fineSeconds(title, round -> chain.apply(round).jobs().get(job).wallMs());
  }

  private static List<String> notes(Comparison<ChainVariant, Round> comparison) {
    double wall =
        comparison
            .ratios(
                LocalFigure.WALL.of("", Round::ofSorts),
                new Ratio<>(ChainVariant.SLUICE_MEMORY, ChainVariant.STOCK))
            .median();
    Figure<Round> disk = LocalFigure.DISK_WRITE.of("", Round::ofSorts);
    return List.of(
        "Targets: the sorts with all files in memory in at most 0.4 of LocalJobRunner's time: %.3f; nothing to disk: %s; a later trivial job in at most 0.15 s: %s on files."
            .formatted(
                wall,
                comparison.values(disk, ChainVariant.SLUICE_MEMORY).show(disk.show()),
                comparison
                    .values(LATER_TRIVIAL, ChainVariant.SLUICE_FILES)
                    .show(LATER_TRIVIAL.show())),
        "Wall, CPU, garbage collection, bytes and memory are those of the whole process, with its start. The time of a job is how long its client waits."
            + " LocalJobRunner's clients look once a second whether a job has ended, which is most of the time of its trivial jobs."
            + " The CPU of garbage collection is that of the collector's threads and of the VM thread."
            + " Every job counts as many records out as in. A round before these has compared the outputs.");
  }

  private static LinePlot jobTimes(String title, Comparison<ChainVariant, Round> comparison) {
    Map<String, List<LinePlot.Point>> series = new LinkedHashMap<>();
    for (ChainVariant variant : VARIANTS) {
      series.put("sort, " + variant.title(), line(comparison, variant, SORTS, Round::sorts));
      series.put(
          "trivial, " + variant.title(), line(comparison, variant, TRIVIAL_JOBS, Round::trivial));
    }
    return new LinePlot(title, "number of the job in its chain", "s", series);
  }

  private static List<LinePlot.Point> line(
      Comparison<ChainVariant, Round> comparison,
      ChainVariant variant,
      int jobs,
      Function<Round, ChainRun> chain) {
    return comparison.line(
        variant,
        IntStream.range(0, jobs).boxed().toList(),
        job -> job + 1,
        job ->
            new Figure<>("", round -> chain.apply(round).jobs().get(job).wallMs() / 1e3, s -> ""));
  }

  /**
   * Runs chains of sorts, each in a process of its own.
   *
   * <p>Not thread-safe; the place is its caller's.
   */
  static final class ChainJobs {
    private static final List<String> JVM_OPTIONS = List.of("-Xmx1g");
    private static final int REDUCES = 2;

    private final LocalPlace place;
    private final LocalJobClient client;

    /**
     * The costs of a chain of jobs in a process of its own.
     *
     * @param process all of it
     * @param jobs each
     */
    record ChainRun(ProcessCosts process, List<JobTime> jobs) {}

    ChainJobs(LocalPlace place) {
      this.place = place;
      this.client = place.client("client", JVM_OPTIONS);
    }

    /** Writes that many records into that many files. */
    void generate(String name, long records, int files) {
      client.run(
          place.workloads(),
          List.of(
              "generate-records",
              "-Dmapreduce.framework.name=" + ChainVariant.SLUICE_FILES.framework(),
              place.temporary(),
              "-Dworkloads.generate.files=" + files,
              Long.toString(records),
              place.uri(name)));
    }

    /**
     * Runs a chain; what it has put out is deleted.
     *
     * @param checked whether the last line has the number of records and their sum
     */
    ChainRun run(ChainVariant variant, String input, int jobs, boolean checked) {
      Path times = place.path("times");
      List<String> command =
          new ArrayList<>(
              List.of(
                  "sortchain",
                  "-Dmapreduce.framework.name=" + variant.framework(),
                  "-Dmapreduce.job.reduces=" + REDUCES,
                  "-Dworkloads.sortchain.check=" + checked,
                  place.temporary()));
      command.add(place.uri(input));
      command.add(variant.inMemory() ? "sluice:///sorted" : place.uri("sorted"));
      command.add(Integer.toString(jobs));
      command.add(times.toString());
      ProcessCosts costs = client.run(place.workloads(), command);
      if (!variant.inMemory()) {
        Workspace.delete(place.path("sorted"));
      }
      return new ChainRun(costs, JobTime.read(times));
    }

    /**
     * The costs of one of the jobs of a program, as the program says.
     *
     * @param job its name
     * @param wallMs from its submission to when its client knew of its end
     * @param cpuMs processor time of the whole process meanwhile
     * @param result what came of it
     */
    record JobTime(String job, long wallMs, long cpuMs, String result) {
      private static final int FIELDS = 4;

      /** All of a program, in their order. */
      static List<JobTime> read(Path file) {
        try {
          return Files.readAllLines(file).stream().map(JobTime::parse).toList();
        } catch (IOException e) {
          throw new UncheckedIOException("the program did not write what its jobs took", e);
        }
      }

      private static JobTime parse(String line) {
        String[] fields = line.split("\t");
        if (fields.length != FIELDS) {
          throw new ClusterException("not what a job took: " + line);
        }
        return new JobTime(
            fields[0], Long.parseLong(fields[1]), Long.parseLong(fields[2]), fields[3]);
      }
    }

    /** The engine that runs a chain of jobs, and the place of its intermediate files. */
    enum ChainVariant implements Variant {
      STOCK("LocalJobRunner", "local", false),
      SLUICE_FILES("Sluice, files", "sluice", false),
      /** All outputs are in the in-memory namespace, that of the last job too. */
      SLUICE_MEMORY("Sluice, in memory", "sluice", true);

      private final String title;
      private final String framework;
      private final boolean inMemory;

      ChainVariant(String title, String framework, boolean inMemory) {
        this.title = title;
        this.framework = framework;
        this.inMemory = inMemory;
      }

      @Override
      public String title() {
        return title;
      }

      String framework() {
        return framework;
      }

      boolean inMemory() {
        return inMemory;
      }
    }
  }
}
