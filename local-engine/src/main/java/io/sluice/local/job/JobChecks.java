package io.sluice.local.job;

import io.sluice.local.conf.LocalSettings;
import io.sluice.mapreduce.map.StockLimits;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.UnaryOperator;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.mapreduce.JobContext;
import org.apache.hadoop.mapreduce.MRConfig;
import org.apache.hadoop.mapreduce.MRJobConfig;

/**
 * Refuses a job at its submission if its settings cannot have their meaning here, or if numbers are
 * out of range. Settings that are usual in a cluster's site files are never refused. {@code
 * docs/local-hadoop-settings.md} lists all settings of Hadoop.
 *
 * <p>Thread contract: stateless. Failure: {@link IOException} that lists each setting, its value
 * and the expected value.
 */
final class JobChecks {
  private static final int MOST_REDUCES = 100_000;
  private static final String OURS = "io.sluice.";
  private static final String CHILD_ENV = "mapred.child.env"; // its constant is deprecated

  /** Variables that only containers or native libraries need, and that sites set for all jobs. */
  private static final Pattern OF_CONTAINERS =
      Pattern.compile(
          "JAVA_HOME|JAVA_LIBRARY_PATH|LD_LIBRARY_PATH|MALLOC_ARENA_MAX"
              + "|(HADOOP|HDFS|YARN(?!_CONTAINER_RUNTIME)|MAPRED)_[A-Z0-9_]+");

  /** Settings of environment variables of tasks. */
  private static final List<String> ENVIRONMENTS =
      List.of(
          MRJobConfig.MAP_ENV,
          MRJobConfig.REDUCE_ENV,
          CHILD_ENV,
          MRJobConfig.MAPRED_ADMIN_USER_ENV);

  /** Whole numbers with their bounds, both allowed. */
  private static final Map<String, long[]> WHOLE_NUMBERS =
      Map.ofEntries(
          Map.entry(MRJobConfig.NUM_REDUCES, new long[] {0, MOST_REDUCES}),
          Map.entry(MRJobConfig.IO_SORT_MB, new long[] {1, StockLimits.MAX_SORT_MB}),
          Map.entry(MRJobConfig.IO_SORT_FACTOR, new long[] {2, Integer.MAX_VALUE}),
          Map.entry(MRJobConfig.MAP_COMBINE_MIN_SPILLS, new long[] {0, Integer.MAX_VALUE}),
          Map.entry(MRJobConfig.SPILL_FILES_COUNT_LIMIT, new long[] {-1, Integer.MAX_VALUE}),
          Map.entry(MRJobConfig.MAP_MAX_ATTEMPTS, new long[] {0, Integer.MAX_VALUE}),
          Map.entry(MRJobConfig.REDUCE_MAX_ATTEMPTS, new long[] {0, Integer.MAX_VALUE}),
          Map.entry(MRJobConfig.MAP_FAILURES_MAX_PERCENT, new long[] {0, 100}),
          Map.entry(MRJobConfig.REDUCE_FAILURES_MAXPERCENT, new long[] {0, 100}),
          Map.entry(
              MRJobConfig.JOB_RUNNING_MAP_LIMIT, new long[] {Integer.MIN_VALUE, Integer.MAX_VALUE}),
          Map.entry(
              MRJobConfig.JOB_RUNNING_REDUCE_LIMIT,
              new long[] {Integer.MIN_VALUE, Integer.MAX_VALUE}),
          Map.entry(MRJobConfig.TASK_TIMEOUT, new long[] {Long.MIN_VALUE, Long.MAX_VALUE}),
          Map.entry(MRJobConfig.TASK_PROGRESS_REPORT_INTERVAL, new long[] {1, Long.MAX_VALUE}),
          Map.entry(
              MRJobConfig.TASK_LOCAL_WRITE_LIMIT_BYTES,
              new long[] {Long.MIN_VALUE, Long.MAX_VALUE}),
          Map.entry(
              MRJobConfig.JOB_SINGLE_DISK_LIMIT_BYTES, new long[] {Long.MIN_VALUE, Long.MAX_VALUE}),
          Map.entry(
              MRJobConfig.MR_AM_COMMITTER_CANCEL_TIMEOUT_MS, new long[] {0, Integer.MAX_VALUE}),
          Map.entry(JobContext.MR_JOB_END_NOTIFICATION_TIMEOUT, new long[] {0, Integer.MAX_VALUE}));

  /** Shares of one, both bounds allowed. */
  private static final List<String> SHARES =
      List.of(MRJobConfig.COMPLETED_MAPS_FOR_REDUCE_SLOWSTART, MRJobConfig.MAP_SORT_SPILL_PERCENT);

  /** Settings of classes that the engine replaces, and the stock classes that it may replace. */
  private static final Map<String, Set<String>> REPLACED =
      Map.of(
          MRJobConfig.MAP_OUTPUT_COLLECTOR_CLASS_ATTR,
          Set.of(
              "org.apache.hadoop.mapred.MapTask$MapOutputBuffer",
              "org.apache.hadoop.mapred.nativetask.NativeMapOutputCollectorDelegator"),
          MRConfig.SHUFFLE_CONSUMER_PLUGIN,
          Set.of("org.apache.hadoop.mapreduce.task.reduce.Shuffle"));

  private JobChecks() {}

  /** Names of Hadoop's settings that are refused unless they have no effect. */
  static Stream<String> refused() {
    return Stream.of(
            ENVIRONMENTS.stream(),
            REPLACED.keySet().stream(),
            Stream.of(
                MRJobConfig.JOB_SINGLE_DISK_LIMIT_BYTES,
                MRJobConfig.MR_JOB_END_NOTIFICATION_CUSTOM_NOTIFIER_CLASS))
        .flatMap(names -> names);
  }

  /**
   * Refuses a job with wrong settings.
   *
   * @param environment the variables of the process, by name
   */
  static void require(Configuration conf, UnaryOperator<String> environment) throws IOException {
    List<String> complaints = new ArrayList<>();
    WHOLE_NUMBERS.forEach((name, bounds) -> checkNumber(conf, name, bounds, complaints));
    SHARES.forEach(name -> checkShare(conf, name, complaints));
    ENVIRONMENTS.forEach(name -> checkEnvironment(conf, name, environment, complaints));
    REPLACED.forEach((name, known) -> checkClass(conf, name, known, complaints));
    LocalSettings.all()
        .forEach(
            setting -> {
              try {
                setting.get(conf::getTrimmed);
              } catch (IllegalArgumentException e) {
                complaints.add(e.getMessage());
              }
            });
    if (complaints.isEmpty()) {
      checkOthers(conf, complaints); // needs valid numbers
    }
    if (!complaints.isEmpty()) {
      complaints.sort(null);
      throw new IOException(
          "The job is refused because of its settings: " + String.join("; ", complaints));
    }
  }

  private static void checkNumber(
      Configuration conf, String name, long[] bounds, List<String> complaints) {
    String text = conf.getTrimmed(name, "");
    if (text.isEmpty()) {
      return;
    }
    try {
      long value = conf.getLong(name, 0);
      if (value >= bounds[0] && value <= bounds[1]) {
        return;
      }
    } catch (NumberFormatException e) {
      // Reported below, like a number out of range.
    }
    complaints.add(
        "%s is %s; expected a whole number from %s to %s"
            .formatted(name, text, bounds[0], bounds[1]));
  }

  private static void checkShare(Configuration conf, String name, List<String> complaints) {
    String text = conf.getTrimmed(name, "");
    if (text.isEmpty()) {
      return;
    }
    try {
      float value = conf.getFloat(name, 0);
      if (value >= 0 && value <= 1) {
        return;
      }
    } catch (NumberFormatException e) {
      // Reported below, like a number out of range.
    }
    complaints.add("%s is %s; expected a number from 0 to 1".formatted(name, text));
  }

  private static void checkEnvironment(
      Configuration conf, String name, UnaryOperator<String> environment, List<String> complaints) {
    for (String entry : conf.getTrimmed(name, "").split(",")) {
      checkVariable(name, entry, environment, complaints);
    }
    conf.getPropsWithPrefix(name + ".") // a form for one variable
        .forEach(
            (variable, value) ->
                checkVariable(
                    name + "." + variable, variable + "=" + value, environment, complaints));
  }

  private static void checkVariable(
      String name, String entry, UnaryOperator<String> environment, List<String> complaints) {
    int equals = entry.indexOf('=');
    if (equals <= 0) {
      return;
    }
    String variable = entry.substring(0, equals).trim();
    String value = entry.substring(equals + 1).trim();
    if (!OF_CONTAINERS.matcher(variable).matches() && !value.equals(environment.apply(variable))) {
      complaints.add(
          ("%s sets %s=%s for tasks, but tasks run in the client's process and share its"
                  + " environment: start the client with that variable, or use -cmdenv in a streaming"
                  + " job")
              .formatted(name, variable, value));
    }
  }

  private static void checkClass(
      Configuration conf, String name, Set<String> known, List<String> complaints) {
    for (String value : conf.getTrimmedStrings(name)) {
      if (!known.contains(value) && !value.startsWith(OURS)) {
        complaints.add(
            ("%s is %s, which cannot be used for a job in one process: remove the setting, or"
                    + " run the job on a cluster")
                .formatted(name, value));
      }
    }
  }

  private static void checkOthers(Configuration conf, List<String> complaints) {
    long diskLimitBytes = conf.getLong(MRJobConfig.JOB_SINGLE_DISK_LIMIT_BYTES, -1);
    if (diskLimitBytes >= 0) {
      complaints.add(
          MRJobConfig.JOB_SINGLE_DISK_LIMIT_BYTES
              + " is "
              + diskLimitBytes
              + ", but a job in one process has no such limit: set -1");
    }
    String notifier =
        conf.getTrimmed(MRJobConfig.MR_JOB_END_NOTIFICATION_CUSTOM_NOTIFIER_CLASS, "");
    if (!notifier.isEmpty()
        && !conf.getTrimmed(JobContext.MR_JOB_END_NOTIFICATION_URL, "").isEmpty()) {
      complaints.add(
          MRJobConfig.MR_JOB_END_NOTIFICATION_CUSTOM_NOTIFIER_CLASS
              + " is "
              + notifier
              + ", but a job in one process calls no custom notifier: remove the setting");
    }
  }
}
