package io.sluice.it.foreign;

import io.sluice.it.job.JobCounters;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.function.Function;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.IntStream;

/**
 * The lines that clients of a run's jobs have printed. They show whether stock or Sluice served it.
 *
 * @param ids of the jobs that were submitted
 * @param counters of the jobs that ended, by the names that clients print, in the order of printing
 */
record PrintedJobs(List<String> ids, List<JobCounters> counters) {
  private static final Pattern SUBMITTED =
      Pattern.compile(".*Submitting tokens for job: (job_\\w+)");
  private static final Pattern BEGIN = Pattern.compile("(.* )?Counters: (\\d+)");
  private static final Pattern GROUP = Pattern.compile("\t([^\t].*)");
  private static final Pattern COUNTER = Pattern.compile("\t\t([^\t].*)=(-?\\d+)");

  private static final Pattern OF_LOCAL_JOB_RUNNER = Pattern.compile("job_local\\d+_\\d+");

  /** The engine's number is longer than that of a cluster, which is a time. */
  private static final Pattern OF_ENGINE = Pattern.compile("job_\\d{18,}_\\d+");

  private static final String RUNS = "MAP_OUTPUT_RUNS";
  private static final String READ = "READ_BYTES_";
  private static final Set<String> HELP_OF_STOCK =
      Set.of("FALLBACK_MAP_TO_STOCK", "FALLBACK_REDUCE_TO_STOCK", "FALLBACK_FETCH_TO_HTTP");

  /** Reads a log. Fails if it does not have as many counters of a job as it says. */
  static PrintedJobs read(List<String> log) {
    List<String> ids = new ArrayList<>();
    List<JobCounters> jobs = new ArrayList<>();
    Map<String, SortedMap<String, Long>> groups = Map.of();
    String group = "";
    int missing = 0; // of those that the job has said it has
    for (String line : log) {
      Matcher counter = COUNTER.matcher(line);
      Matcher job = BEGIN.matcher(line);
      Matcher submitted = SUBMITTED.matcher(line);
      if (submitted.matches()) {
        ids.add(submitted.group(1));
      } else if (job.matches()) {
        requireNone(missing);
        groups = new TreeMap<>();
        jobs.add(new JobCounters(groups));
        group = "";
        missing = Integer.parseInt(job.group(2));
      } else if (counter.matches() && missing > 0) {
        missing--;
        SortedMap<String, Long> values = groups.computeIfAbsent(group, any -> new TreeMap<>());
        if (values.put(counter.group(1), Long.valueOf(counter.group(2))) != null) {
          throw new IllegalStateException(
              "a job has two counters \"%s: %s\"".formatted(group, counter.group(1)));
        }
      } else {
        Matcher begin = GROUP.matcher(line);
        group = begin.matches() ? begin.group(1).strip() : "";
      }
    }
    requireNone(missing);
    return new PrintedJobs(ids, jobs);
  }

  private static void requireNone(int missing) {
    if (missing > 0) {
      throw new IllegalStateException(missing + " counters of a job were not found in its log");
    }
  }

  /** Jobs that stock has not served in one process, a sentence each; so are those below. */
  List<String> notByLocalJobRunner() {
    return others(OF_LOCAL_JOB_RUNNER, "LocalJobRunner");
  }

  /** Jobs that Sluice has not served in one process. */
  List<String> notByEngine() {
    return others(OF_ENGINE, "Sluice's engine");
  }

  private List<String> others(Pattern known, String runner) {
    if (ids.isEmpty()) {
      return List.of("no client has said which job it submitted");
    }
    return ids.stream()
        .filter(id -> !known.matcher(id).matches())
        .map(id -> "%s was not run by %s".formatted(id, runner))
        .toList();
  }

  /** Jobs on a cluster that stock's collector and shuffle have not served. */
  List<String> notByStocksShuffle() {
    return ofEach(
        counters ->
            counters.group(JobCounters.SLUICE).isEmpty()
                ? List.of()
                : List.of("has counters of Sluice's"));
  }

  /** Jobs on a cluster that Sluice has not served, or not without stock's help. */
  List<String> notBySluicesShuffle() {
    return counters.stream().allMatch(job -> shuffledRecords(job) == 0)
        ? List.of("no job has shuffled a record")
        : ofEach(PrintedJobs::lacks);
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

  private List<String> ofEach(Function<JobCounters, List<String>> what) {
    return IntStream.range(0, counters.size())
        .boxed()
        .flatMap(
            job ->
                what.apply(counters.get(job)).stream()
                    .map(each -> "job %s %s".formatted(job + 1, each)))
        .toList();
  }
}
