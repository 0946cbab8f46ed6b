package io.sluice.it.foreign;

import io.sluice.it.job.JobCounters;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.function.Function;
import java.util.regex.Pattern;
import java.util.stream.IntStream;

/**
 * Tells by what a run's jobs have printed whether stock or Sluice has served them: sentences that
 * say what was served otherwise, none if all is as it should be. Stateless.
 */
final class Served {
  private static final Pattern OF_LOCAL_JOB_RUNNER = Pattern.compile("job_local\\d+_\\d+");

  /** The engine's number is longer than that of a cluster, which is a time. */
  private static final Pattern OF_ENGINE = Pattern.compile("job_\\d{18,}_\\d+");

  private static final String RUNS = "MAP_OUTPUT_RUNS";
  private static final String READ = "READ_BYTES_";
  private static final Set<String> HELP_OF_STOCK =
      Set.of("FALLBACK_MAP_TO_STOCK", "FALLBACK_REDUCE_TO_STOCK", "FALLBACK_FETCH_TO_HTTP");

  private Served() {}

  /** In one process, by stock. */
  static List<String> byLocalJobRunner(PrintedJobs jobs) {
    return others(jobs, OF_LOCAL_JOB_RUNNER, "LocalJobRunner");
  }

  /** In one process, by Sluice. */
  static List<String> byEngine(PrintedJobs jobs) {
    return others(jobs, OF_ENGINE, "Sluice's engine");
  }

  private static List<String> others(PrintedJobs jobs, Pattern known, String runner) {
    if (jobs.ids().isEmpty()) {
      return List.of("no client has said which job it submitted");
    }
    return jobs.ids().stream()
        .filter(id -> !known.matcher(id).matches())
        .map(id -> "%s was not run by %s".formatted(id, runner))
        .toList();
  }

  /** On a cluster, by stock's collector and shuffle. */
  static List<String> byStocksShuffle(PrintedJobs jobs) {
    return ofEach(
        jobs,
        counters ->
            counters.group(JobCounters.SLUICE).isEmpty()
                ? List.of()
                : List.of("has counters of Sluice's"));
  }

  /** On a cluster, by Sluice's, and without stock's help. */
  static List<String> bySluicesShuffle(PrintedJobs jobs) {
    return jobs.counters().stream().allMatch(counters -> shuffledRecords(counters) == 0)
        ? List.of("no job has shuffled a record")
        : ofEach(jobs, Served::lacks);
  }

  private static List<String> lacks(JobCounters counters) {
    List<String> all = new ArrayList<>();
    long records = shuffledRecords(counters);
    if (records > 0 && counters.sluice(RUNS) == 0) {
      all.add("sorted %s records without Sluice".formatted(records));
    }
    if (records > 0 && counters.sluiceSum(READ) == 0) {
      all.add("fetched %s records without Sluice".formatted(records));
    }
    counters.group(JobCounters.SLUICE).entrySet().stream()
        .filter(counter -> HELP_OF_STOCK.contains(counter.getKey()) && counter.getValue() > 0)
        .forEach(counter -> all.add("fell back to stock, " + counter));
    return all;
  }

  private static long shuffledRecords(JobCounters counters) {
    return counters.value("Map-Reduce Framework", "Reduce input records");
  }

  private static List<String> ofEach(PrintedJobs jobs, Function<JobCounters, List<String>> what) {
    return IntStream.range(0, jobs.counters().size())
        .boxed()
        .flatMap(
            job ->
                what.apply(jobs.counters().get(job)).stream()
                    .map(each -> "job %s %s".formatted(job + 1, each)))
        .toList();
  }
}
