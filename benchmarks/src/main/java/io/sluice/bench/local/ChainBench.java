package io.sluice.bench.local;

import io.sluice.bench.Comparison;
import io.sluice.bench.Ratio;
import io.sluice.bench.SameOutput;
import io.sluice.bench.hadoop.Size;
import io.sluice.it.cluster.ClusterException;
import io.sluice.it.cluster.Workspace;
import io.sluice.it.report.Console;
import io.sluice.it.report.ResultFiles;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;

/**
 * Chains of jobs in one process, each job on what the one before has put out: four sorts, and some
 * jobs with next to nothing to do. LocalJobRunner on files, the engine on files, and the engine
 * with all files in memory, in turn.
 *
 * <p>Not thread-safe. A failed job or an output that differs is a {@link ClusterException}.
 */
public final class ChainBench {
  static final int RECORD_BYTES = 100;
  private static final int FILES = 4;
  private static final long TRIVIAL_RECORDS = 1_000;
  private static final List<Ratio<ChainVariant>> RATIOS =
      List.of(
          new Ratio<>(ChainVariant.SLUICE_FILES, ChainVariant.STOCK),
          new Ratio<>(ChainVariant.SLUICE_MEMORY, ChainVariant.STOCK));

  private final Workspace workspace;
  private final Console console;
  private final long sizeBytes;

  /** Of sorts of so many bytes. */
  public ChainBench(Workspace workspace, Console console, long sizeBytes) {
    this.workspace = workspace;
    this.console = console;
    this.sizeBytes = sizeBytes;
  }

  /** Runs a round that is not counted, and then so many; writes the results after each. */
  public void run(int rounds, ResultFiles results) {
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
      Comparison<ChainVariant, ChainRound> comparison = new Comparison<>(RATIOS);
      ChainResults page = new ChainResults(place.hadoop(), sizeBytes, comparison);
      for (int round = 1; round <= rounds; round++) {
        comparison.add(round(jobs));
        page.page().write(results); // it may be ended before the last
      }
      page.page().show(console, results);
    }
  }

  /** With a check of what comes out, which is in no figure. */
  private void warmUp(ChainJobs jobs) {
    SameOutput<String> output = new SameOutput<>("chain of sorts");
    for (ChainVariant variant : ChainVariant.values()) {
      List<JobTime> times =
          console
              .step(
                  "Warm-up and check, " + variant.title(),
                  () -> jobs.run(variant, "records", ChainRound.SORTS, true))
              .jobs();
      output.add(variant.title(), times.get(times.size() - 1).result());
    }
    console.say("all outputs agree and are in order: records and their sum are " + output.get());
  }

  private Map<ChainVariant, ChainRound> round(ChainJobs jobs) {
    Map<ChainVariant, ChainRound> round = new EnumMap<>(ChainVariant.class);
    for (ChainVariant variant : ChainVariant.values()) {
      ChainRun sorts =
          console.step(
              "%d sorts, %s".formatted(ChainRound.SORTS, variant.title()),
              () -> jobs.run(variant, "records", ChainRound.SORTS, false));
      ChainRun trivial =
          console.step(
              "%d trivial jobs, %s".formatted(ChainRound.TRIVIAL_JOBS, variant.title()),
              () -> jobs.run(variant, "few-records", ChainRound.TRIVIAL_JOBS, false));
      round.put(variant, new ChainRound(sorts, trivial));
    }
    return round;
  }
}
