package io.sluice.bench.local;

import io.sluice.it.cluster.ClusterException;
import io.sluice.it.cluster.Workspace;
import io.sluice.it.local.LocalJobClient;
import io.sluice.it.local.ProcessCosts;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;

/**
 * Runs the workloads that are to scale, each in a process of its own, with a job history.
 *
 * <p>Not thread-safe; the place is its caller's.
 */
final class ScalingJobs {
  private static final List<String> JVM_OPTIONS = List.of("-Xmx1g");
  private static final long BYTES_OF_DOCUMENT = 125_000; // of TeraSort, for about the same time

  private final LocalPlace place;
  private final long sizeBytes;
  private final LocalJobClient client;
  private final LocalJobClient other;
  private final LocalJobs tera;
  private final Map<ScalingVariant, LocalJobClient> clients = new EnumMap<>(ScalingVariant.class);

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
    ProcessCosts costs = by.run(isTera ? place.hadoop().examplesJar() : place.workloads(), command);
    List<JobHistoryTimes> jobs = JobHistoryTimes.below(history);
    if (jobs.isEmpty()) {
      throw new ClusterException(workload.title() + " has left no history");
    }
    return ScalingRun.of(costs, jobs);
  }

  private Path output(ScalingWorkload workload, String suffix) {
    return place.path("output-" + workload + suffix);
  }

  /** What the last run has put out. */
  String digest(ScalingWorkload workload) {
    return workload == ScalingWorkload.TERA_SORT
        ? tera.teraReport(output(workload, ""))
        : LinesDigest.of(output(workload, "")).toString();
  }
}
