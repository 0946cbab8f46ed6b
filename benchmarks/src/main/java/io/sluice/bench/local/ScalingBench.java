package io.sluice.bench.local;

import com.fasterxml.jackson.annotation.JsonIgnore;
import io.sluice.bench.Bench;
import io.sluice.bench.Bench.SameOutput;
import io.sluice.bench.Comparison.Variant;
import io.sluice.bench.local.EngineSchedule.JobHistoryTimes;
import io.sluice.bench.local.HoneClients.LinesDigest;
import io.sluice.bench.local.LocalDemo.LocalJobs;
import io.sluice.bench.local.ScalingBench.ScalingJobs.ScalingVariant;
import io.sluice.bench.local.ScalingBench.ScalingJobs.ScalingWorkload;
import io.sluice.it.cluster.ClusterException;
import io.sluice.it.cluster.Workspace;
import io.sluice.it.local.LocalJobClient;
import io.sluice.it.local.LocalJobClient.ProcessCosts;
import io.sluice.it.report.Console;
import io.sluice.it.report.ResultFiles;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;

/**
 * How the engine scales: measured from one thread to two, and from there on simulated from the
 * times of the tasks, with the locks that they waited for.
 *
 * <p>Not thread-safe. A failed job or an output that differs is a {@link ClusterException}.
 *
 * @param workspace has the jars
 * @param console says what runs
 * @param sizeBytes of TeraSort; the other workload takes about as long
 */
public record ScalingBench(Workspace workspace, Console console, long sizeBytes) {
  private static final List<ScalingWorkload> WORKLOADS = List.of(ScalingWorkload.values());
  private static final List<ScalingVariant> VARIANTS = List.of(ScalingVariant.values());

  /** Runs a round that is not counted, and then so many. */
  public void run(int rounds, ResultFiles files) {
    try (LocalPlace place = LocalPlace.open(workspace)) {
      ScalingJobs jobs = new ScalingJobs(place, sizeBytes);
      for (ScalingWorkload workload : WORKLOADS) {
        console.step(
            "Input of " + workload.title(),
            () -> {
              jobs.generate(workload);
              return null;
            });
        warmUp(jobs, workload);
      }
      Map<ScalingWorkload, List<Contention.Point>> waits = new EnumMap<>(ScalingWorkload.class);
      for (ScalingWorkload workload : WORKLOADS) {
        waits.put(
            workload, console.step(workload.title() + ", recorded", () -> jobs.record(workload)));
      }
      ScalingResults results = new ScalingResults(place.hadoop().version(), sizeBytes, waits);
      results
          .bench()
          .run(
              rounds,
              results.comparison(),
              round ->
                  Bench.inTurn(
                      WORKLOADS,
                      VARIANTS,
                      (workload, variant) ->
                          console.step(
                              "%s, %s".formatted(workload.title(), variant.title()),
                              () -> jobs.run(workload, variant))),
              console,
              files);
    }
  }

  private void warmUp(ScalingJobs jobs, ScalingWorkload workload) {
    SameOutput<String> output = new SameOutput<>(workload.title());
    for (ScalingVariant variant : VARIANTS) {
      console.step(
          "Warm-up, %s, %s".formatted(workload.title(), variant.title()),
          () -> jobs.run(workload, variant));
      output.add(variant.title(), jobs.digest(workload));
    }
    console.say(workload.title() + ": all outputs agree: " + output.get());
  }

  /**
   * Runs the workloads that are to scale, each in a process of its own, with a job history.
   *
   * <p>Not thread-safe; the place is its caller's.
   */
  static final class ScalingJobs {
    private static final List<String> JVM_OPTIONS = List.of("-Xmx1g");
    private static final long BYTES_OF_DOCUMENT = 125_000; // of TeraSort, for about the same time

    private final LocalPlace place;
    private final long sizeBytes;
    private final LocalJobClient client;
    private final LocalJobClient other;
    private final LocalJobs tera;
    private final Map<ScalingVariant, LocalJobClient> clients = new EnumMap<>(ScalingVariant.class);

    /** The workloads: a sort, which moves bytes, and one that computes. */
    enum ScalingWorkload {
      TERA_SORT("TeraSort", 64, 64),
      LDA("LDA", 64, 16);

      private final String title;
      private final int maps;
      private final int reduces;

      ScalingWorkload(String title, int maps, int reduces) {
        this.title = title;
        this.maps = maps;
        this.reduces = reduces;
      }

      String title() {
        return title;
      }

      int maps() {
        return maps;
      }

      int reduces() {
        return reduces;
      }
    }

    /** The number of threads and of processors that the engine runs a job on. */
    enum ScalingVariant implements Variant {
      /** One slot of each kind, and all threads of the process on one processor. */
      ONE_CORE("1 thread, 1 core", 1, 1),
      /**
       * The same while another such process runs on the other processor, with files of its own:
       * what the machine itself loses when both of its processors work.
       */
      BESIDE_ANOTHER("1 thread, 1 core, beside another process", 1, 1),
      /** One slot of each kind: a map reads while the one before sorts. */
      ONE("1 thread, 2 cores", 1, 2),
      TWO("2 threads, 2 cores", 2, 2);

      private final String title;
      private final int threads;
      private final int cores;

      ScalingVariant(String title, int threads, int cores) {
        this.title = title;
        this.threads = threads;
        this.cores = cores;
      }

      @Override
      public String title() {
        return title;
      }

      /** Map, sort and reduce slots, each. */
      int threads() {
        return threads;
      }

      int cores() {
        return cores;
      }
    }

    /**
     * The costs of a workload in a process of its own.
     *
     * @param process all of it
     * @param tasksMs from the first task to the last, of all of its jobs
     * @param jobs when their attempts began and ended
     */
    record ScalingRun(ProcessCosts process, long tasksMs, @JsonIgnore List<JobHistoryTimes> jobs) {
      static ScalingRun of(ProcessCosts process, List<JobHistoryTimes> jobs) {
        return new ScalingRun(
            process, jobs.stream().mapToLong(JobHistoryTimes::tasksMs).sum(), jobs);
      }

      /** The time before the tasks of its jobs, between and after them. */
      double serialMs() {
        return Math.max(0, process.wallMs() - tasksMs);
      }
    }

    ScalingJobs(LocalPlace place, long sizeBytes) {
      this.place = place;
      this.sizeBytes = sizeBytes;
      this.client = place.client("client", JVM_OPTIONS);
      this.tera = new LocalJobs(client, place.hadoop().examplesJar(), place.directory());
      LocalJobClient pinned = client.onProcessor(0, place.made("pinned"));
      this.other = client.onProcessor(1, place.made("pinned-other"));
      clients.put(ScalingVariant.ONE_CORE, pinned);
      clients.put(ScalingVariant.BESIDE_ANOTHER, pinned);
      clients.put(ScalingVariant.ONE, client);
      clients.put(ScalingVariant.TWO, client);
    }

    /** Makes the input of a workload. */
    void generate(ScalingWorkload workload) {
      if (workload == ScalingWorkload.TERA_SORT) {
        tera.teraGen(sizeBytes);
        return;
      }
      client.run(
          place.workloads(),
          List.of(
              "generate-documents",
              "-Dworkloads.generate.files=" + workload.maps(),
              Long.toString(Math.max(workload.maps(), sizeBytes / BYTES_OF_DOCUMENT)),
              place.uri("documents")));
    }

    /** Runs it; its output stays until it runs again. */
    ScalingRun run(ScalingWorkload workload, ScalingVariant variant) {
      if (variant != ScalingVariant.BESIDE_ANOTHER) {
        return run(workload, variant, clients.get(variant), "");
      }
      CompletableFuture<ScalingRun> beside =
          CompletableFuture.supplyAsync(() -> run(workload, variant, other, "-other"));
      try {
        return run(workload, variant, clients.get(variant), "");
      } finally {
        beside.join(); // a process has a deadline
      }
    }

    /** The same on two threads with the flight recorder on. */
    List<Contention.Point> record(ScalingWorkload workload) {
      Path recording = place.path("waits-" + workload + ".jfr");
      List<String> options = new ArrayList<>(JVM_OPTIONS);
      options.add(Contention.recordInto(recording));
      run(workload, ScalingVariant.TWO, place.client("recorded-" + workload, options), "");
      return Contention.read(recording);
    }

    private ScalingRun run(
        ScalingWorkload workload, ScalingVariant variant, LocalJobClient by, String suffix) {
      Path history = place.path("history" + suffix);
      Path output = output(workload, suffix);
      Workspace.delete(history);
      Workspace.delete(output);
      boolean isTera = workload == ScalingWorkload.TERA_SORT;
      List<String> command = new ArrayList<>();
      command.add(isTera ? "terasort" : "lda");
      command.add("-Dmapreduce.framework.name=sluice");
      command.add("-Dsluice.local.exchange=pull");
      for (String slots : List.of("map", "sort", "reduce")) {
        command.add("-Dsluice.local.%s-threads=%d".formatted(slots, variant.threads()));
      }
      command.add("-Dmapreduce.job.reduces=" + workload.reduces());
      command.add("-Dmapreduce.jobhistory.intermediate-done-dir=" + history.toUri());
      command.add("-Dmapreduce.jobhistory.jhist.format=json");
      command.add(place.temporary());
      if (isTera) {
        long splitBytes = (sizeBytes + workload.maps() - 1) / workload.maps();
        command.add("-Dmapreduce.input.fileinputformat.split.maxsize=" + splitBytes);
      }
      command.add(place.uri(isTera ? "tera" : "documents"));
      command.add(output.toUri().toString());
      if (!isTera) {
        command.addAll(List.of("10", "1")); // topics, and a round, as in Hone's paper
      }
      ProcessCosts costs =
          by.run(isTera ? place.hadoop().examplesJar() : place.workloads(), command);
      List<JobHistoryTimes> jobs = JobHistoryTimes.below(history);
      if (jobs.isEmpty()) {
        throw new ClusterException(workload.title() + " has left no history");
      }
      return ScalingRun.of(costs, jobs);
    }

    private Path output(ScalingWorkload workload, String suffix) {
      return place.path("output-" + workload + suffix);
    }

    /** A digest of the last run's output. */
    String digest(ScalingWorkload workload) {
      return workload == ScalingWorkload.TERA_SORT
          ? tera.teraReport(output(workload, ""))
          : LinesDigest.of(output(workload, "")).toString();
    }
  }
}
