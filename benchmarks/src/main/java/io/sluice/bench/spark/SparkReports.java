package io.sluice.bench.spark;

import io.sluice.it.spark.jobs.ShuffleReport;
import io.sluice.it.spark.jobs.Workload;
import java.util.EnumMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * What one variant reported in one round.
 *
 * @param byRun by run and workload
 */
record SparkReports(Map<SparkRun, Map<Workload, ShuffleReport>> byRun) {
  /** Sorts reports, which are in the order of the runs. */
  static SparkReports of(List<ShuffleReport> reports) {
    Map<SparkRun, Map<Workload, ShuffleReport>> byRun = new EnumMap<>(SparkRun.class);
    Map<Workload, Integer> seen = new EnumMap<>(Workload.class);
    for (ShuffleReport report : reports) {
      int repetition = seen.merge(report.workload(), 1, Integer::sum) - 1;
      for (SparkRun run : SparkRun.values()) {
        if (run.repetition() == repetition) {
          byRun.computeIfAbsent(run, key -> new LinkedHashMap<>()).put(report.workload(), report);
        }
      }
    }
    return new SparkReports(byRun);
  }

  /** Those of a run, in the order in which they ran first. */
  List<Workload> workloads(SparkRun run) {
    return List.copyOf(byRun.get(run).keySet());
  }

  ShuffleReport get(SparkRun run, Workload workload) {
    return byRun.get(run).get(workload);
  }
}
