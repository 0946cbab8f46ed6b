package io.sluice.bench.local;

import io.sluice.bench.SameOutput;
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
 */
public final class ScalingBench {
  private final Workspace workspace;
  private final Console console;
  private final long sizeBytes;

  /** Of a TeraSort of so many bytes, and of something to compute that takes about as long. */
  public ScalingBench(Workspace workspace, Console console, long sizeBytes) {
    this.workspace = workspace;
    this.console = console;
    this.sizeBytes = sizeBytes;
  }

  /** Runs a round that is not counted, and then so many; writes the results after each. */
  public void run(int rounds, ResultFiles results) {
    try (LocalPlace place = LocalPlace.open(workspace)) {
      ScalingJobs jobs = new ScalingJobs(place, sizeBytes);
      for (ScalingWorkload workload : ScalingWorkload.values()) {
        console.step(
            "Input of " + workload.title(),
            () -> {
              jobs.generate(workload);
              return null;
            });
        warmUp(jobs, workload);
      }
      Map<ScalingWorkload, List<Contention.Point>> waits = new EnumMap<>(ScalingWorkload.class);
      for (ScalingWorkload workload : ScalingWorkload.values()) {
        waits.put(
            workload, console.step(workload.title() + ", recorded", () -> jobs.record(workload)));
      }
      ScalingResults page = new ScalingResults(place.hadoop(), sizeBytes, waits);
      for (int round = 1; round <= rounds; round++) {
        page.add(round(jobs));
        page.page().write(results); // it may be ended before the last
      }
      page.page().show(console, results);
    }
  }

  private void warmUp(ScalingJobs jobs, ScalingWorkload workload) {
    SameOutput<String> output = new SameOutput<>(workload.title());
    for (ScalingVariant variant : ScalingVariant.values()) {
      console.step(
          "Warm-up, %s, %s".formatted(workload.title(), variant.title()),
          () -> jobs.run(workload, variant));
      output.add(variant.title(), jobs.digest(workload));
    }
    console.say(workload.title() + ": all outputs agree: " + output.get());
  }

  private Map<ScalingVariant, Map<ScalingWorkload, ScalingRun>> round(ScalingJobs jobs) {
    Map<ScalingVariant, Map<ScalingWorkload, ScalingRun>> round =
        new EnumMap<>(ScalingVariant.class);
    for (ScalingVariant variant : ScalingVariant.values()) {
      round.put(variant, new EnumMap<>(ScalingWorkload.class));
    }
    for (ScalingWorkload workload : ScalingWorkload.values()) {
      for (ScalingVariant variant : ScalingVariant.values()) {
        round
            .get(variant)
            .put(
                workload,
                console.step(
                    "%s, %s".formatted(workload.title(), variant.title()),
                    () -> jobs.run(workload, variant)));
      }
    }
    return round;
  }
}
