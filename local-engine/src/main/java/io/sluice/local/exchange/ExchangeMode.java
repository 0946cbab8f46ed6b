package io.sluice.local.exchange;

import io.sluice.local.conf.LocalSettings;
import io.sluice.local.conf.LocalSettings.Isolation;
import io.sluice.mapreduce.memory.TaskMemory;
import java.util.Locale;
import org.apache.hadoop.mapred.JobConf;
import org.apache.hadoop.mapreduce.MRJobConfig;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The exchange of records between maps and reduces (Hone, section 4.1). Hone's streams are lists of
 * objects. Here they are sort buffers that are written as sorted runs, so the modes differ in the
 * number of runs.
 */
public enum ExchangeMode {
  /** Each map sorts its own output; a reduce reads a run of each map. */
  PULL,
  /** All maps fill one sort buffer for each reduce. */
  PUSH,
  /** Each running map fills a sort buffer for all reduces; the next map continues it. */
  HYBRID;

  private static final Logger LOG = LoggerFactory.getLogger(ExchangeMode.class);

  /** From so many maps for each map thread on, several maps fill one buffer. */
  private static final int MANY_MAPS = 8;

  private static final int MOST_PUSHED_REDUCES = 256;
  private static final long MANY_RUNS = 2_000;
  private static final long SMALL_RUN_BYTES = 64 << 10;

  /**
   * The mode of a job.
   *
   * @param inputBytes of all maps, to estimate the size of their outputs
   */
  public static ExchangeMode of(JobConf job, int maps, int mapThreads, long inputBytes) {
    String configured = LocalSettings.EXCHANGE.get(job::getTrimmed);
    Isolation isolation = Isolation.of(job);
    if (isolation == Isolation.TASK) {
      return PULL; // maps that share a sort buffer must share the classes of its records
    }
    if (job.getInt(MRJobConfig.SPILL_FILES_COUNT_LIMIT, -1) >= 0) {
      return PULL; // the limit counts each map's spills, and a shared buffer spills for all
    }
    if (configured.equals("push") && isolation != Isolation.NONE) {
      LOG.warn(
          "sluice.local.exchange=push needs sluice.local.isolation=none, because maps that"
              + " push share their classes; using hybrid");
      return HYBRID;
    }
    int mostPushed = Math.min(MOST_PUSHED_REDUCES, TaskMemory.mostSorting());
    if (configured.equals("push") && job.getNumReduceTasks() > mostPushed) {
      LOG.warn(
          "sluice.local.exchange=push needs a sort buffer for each of {} reduces, for which"
              + " there is not enough memory; using hybrid",
          job.getNumReduceTasks());
      return HYBRID;
    }
    if (!configured.equals("auto")) {
      return valueOf(configured.toUpperCase(Locale.ROOT));
    }
    long runs = (long) maps * job.getNumReduceTasks();
    boolean manyMaps = maps >= (long) MANY_MAPS * mapThreads;
    return manyMaps && (runs > MANY_RUNS || inputBytes / Math.max(1, runs) < SMALL_RUN_BYTES)
        ? HYBRID
        : PULL;
  }
}
