package io.sluice.bench.local;

import io.sluice.bench.Bench;
import io.sluice.bench.SameOutput;
import io.sluice.bench.local.ScalingJobs.ScalingVariant;
import io.sluice.bench.local.ScalingJobs.ScalingWorkload;
import io.sluice.it.cluster.ClusterException;
import io.sluice.it.cluster.Workspace;
import io.sluice.it.report.Console;
import io.sluice.it.report.ResultFiles;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;

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
}
