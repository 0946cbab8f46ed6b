package io.sluice.it.foreign;

import io.sluice.it.job.JobCounters;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * What the clients of a run's jobs have printed.
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

  /** Fails if the log does not have as many counters of a job as it says. */
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
}
