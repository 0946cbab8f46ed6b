package io.sluice.local.job;

import io.sluice.local.conf.LocalSettings;
import io.sluice.local.exchange.LocalCollector;
import io.sluice.local.exchange.LocalShuffle;
import io.sluice.local.staging.ProcessDirectories;
import io.sluice.mapreduce.id.TaskNames;
import io.sluice.mapreduce.memory.TaskMemory;
import io.sluice.node.conf.Setting;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.OptionalInt;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.mapred.JobConf;
import org.apache.hadoop.mapred.JobID;
import org.apache.hadoop.mapred.MapOutputCollector;
import org.apache.hadoop.mapred.ShuffleConsumerPlugin;
import org.apache.hadoop.mapreduce.MRConfig;
import org.apache.hadoop.mapreduce.MRJobConfig;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Prepares a job's settings for its tasks, and reads the engine's own settings.
 *
 * <p>Thread contract: that of a configuration.
 */
final class LocalJobSettings {
  private static final Logger LOG = LoggerFactory.getLogger(LocalJobSettings.class);
  private static final long PROGRESS_MS = 1_000;
  private static final int REPORTS_IN_TIMEOUT = 10;
  private static final float SLOW_START = 0.05f; // mapred-default.xml's

  private final JobConf conf;
  private final long writeLimitBytes;

  /** Changes the settings of a submitted job. */
  LocalJobSettings(JobConf conf, JobID id) throws IOException {
    this.conf = conf;
    LocalSettings.warnOfUnknown(conf);
    conf.setClass(
        MRJobConfig.MAP_OUTPUT_COLLECTOR_CLASS_ATTR,
        LocalCollector.class,
        MapOutputCollector.class);
    conf.setClass(
        MRConfig.SHUFFLE_CONSUMER_PLUGIN, LocalShuffle.class, ShuffleConsumerPlugin.class);
    conf.setBoolean(
        "mapreduce.task.uberized", true); // keeps Hadoop's task code from ending the process
    conf.setLong(
        MRJobConfig.JOB_SINGLE_DISK_LIMIT_BYTES,
        -1); // a task above the limit would end the process
    writeLimitBytes = conf.getLong(MRJobConfig.TASK_LOCAL_WRITE_LIMIT_BYTES, -1);
    conf.setLong(
        MRJobConfig.TASK_LOCAL_WRITE_LIMIT_BYTES, -1); // the same; Umbilical checks this limit
    if (conf.get(MRJobConfig.TASK_PROGRESS_REPORT_INTERVAL) == null) {
      long often = timeoutMs() > 0 ? timeoutMs() / REPORTS_IN_TIMEOUT : PROGRESS_MS;
      conf.setLong(
          MRJobConfig.TASK_PROGRESS_REPORT_INTERVAL, Math.max(1, Math.min(PROGRESS_MS, often)));
    }
    String[] localDirs = localDirs(id);
    conf.setStrings(MRConfig.LOCAL_DIR, localDirs);
    if (localDirs.length > 0) {
      conf.set(
          MRJobConfig.JOB_LOCAL_DIR,
          new Path(localDirs[0], "work").toUri().getPath()); // shared by the job's tasks
    }
    conf.setInt(MRJobConfig.APPLICATION_ATTEMPT_ID, 1);
    if (sortingThreads(LocalSettings.MAP_THREADS) < threads(LocalSettings.MAP_THREADS)) {
      LOG.info(
          "{}: only {} maps run at a time instead of {}, because direct memory has no room"
              + " for more sort buffers; raise -XX:MaxDirectMemorySize or -Xmx",
          id,
          sortingThreads(LocalSettings.MAP_THREADS),
          threads(LocalSettings.MAP_THREADS));
    }
  }

  /** The usable local directories, as on a cluster. */
  private String[] localDirs(JobID id) throws IOException {
    String name = TaskNames.job(id);
    List<String> usable = new ArrayList<>();
    IOException failure = null;
    for (String directory : conf.getTrimmedStrings(MRConfig.LOCAL_DIR)) {
      try {
        usable.add(ProcessDirectories.in(directory, MRConfig.LOCAL_DIR).resolve(name).toString());
      } catch (IOException e) {
        LOG.warn("{} runs without the local directory {}, which cannot be used", id, directory, e);
        failure = e;
      }
    }
    if (usable.isEmpty() && failure != null) {
      throw failure;
    }
    return usable.toArray(String[]::new);
  }

  JobConf conf() {
    return conf;
  }

  /** Most bytes that a task may write to local files; negative for no limit. */
  long writeLimitBytes() {
    return writeLimitBytes;
  }

  /** The longest time for a task without progress; 0 for no limit. */
  long timeoutMs() {
    return conf.getLong(MRJobConfig.TASK_TIMEOUT, MRJobConfig.DEFAULT_TASK_TIMEOUT_MILLIS);
  }

  /** The time that a committer has to end after a kill. */
  long cancelTimeoutMs() {
    return conf.getLong(
        MRJobConfig.MR_AM_COMMITTER_CANCEL_TIMEOUT_MS,
        MRJobConfig.DEFAULT_MR_AM_COMMITTER_CANCEL_TIMEOUT_MS);
  }

  /** The number of maps after which reduces begin. */
  int slowStart(int maps) {
    return (int)
        Math.ceil(
            maps * conf.getFloat(MRJobConfig.COMPLETED_MAPS_FOR_REDUCE_SLOWSTART, SLOW_START));
  }

  int mapThreads() {
    return Math.min(sortingThreads(LocalSettings.MAP_THREADS), mostMaps());
  }

  /** The most maps at a time, including those that sort. */
  int mostMaps() {
    return limit(MRJobConfig.JOB_RUNNING_MAP_LIMIT, MRJobConfig.DEFAULT_JOB_RUNNING_MAP_LIMIT);
  }

  private int limit(String name, int otherwise) {
    int limit = conf.getInt(name, otherwise);
    return limit > 0 ? limit : Integer.MAX_VALUE;
  }

  /** The percentage of maps that may fail finally without failing the job. */
  int mapFailuresPercent() {
    return conf.getInt(MRJobConfig.MAP_FAILURES_MAX_PERCENT, 0);
  }

  /** The percentage of reduces that may fail finally without failing the job. */
  int reduceFailuresPercent() {
    return conf.getInt(MRJobConfig.REDUCE_FAILURES_MAXPERCENT, 0);
  }

  int sortThreads() {
    return sortingThreads(LocalSettings.SORT_THREADS);
  }

  int reduceThreads() {
    return Math.min(
        threads(LocalSettings.REDUCE_THREADS),
        limit(MRJobConfig.JOB_RUNNING_REDUCE_LIMIT, MRJobConfig.DEFAULT_JOB_RUNNING_REDUCE_LIMIT));
  }

  /**
   * Limits threads to the number of sort buffers in the process: a map holds one while it reads or
   * sorts.
   */
  private int sortingThreads(Setting<OptionalInt> setting) {
    return Math.min(threads(setting), Math.max(1, TaskMemory.mostSorting() / 2));
  }

  private int threads(Setting<OptionalInt> setting) {
    return setting.get(conf::getTrimmed).orElse(Runtime.getRuntime().availableProcessors());
  }
}
