package io.sluice.local.exchange;

import io.sluice.local.conf.Isolation;
import io.sluice.local.conf.LocalSettings;
import io.sluice.mapreduce.memory.TaskMemory;
import java.util.Locale;
import org.apache.hadoop.mapred.JobConf;
import org.apache.hadoop.mapreduce.MRJobConfig;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * How records get from maps to reduces (Hone, section 4.1). Hone's streams are lists of objects and
 * its reduces take them as they are; here they are sort buffers that are cut into sorted runs, so
 * what the modes differ in is how many runs there are.
 */
public enum ExchangeMode {
  /** Each map sorts its own output; reduces find a run of each map. */
  PULL,
  /** All maps fill one sort buffer for each reduce. */
  PUSH,
  /** Each map that runs fills a sort buffer for all reduces, and leaves it to the next map. */
  HYBRID;

  private static final Logger LOG = LoggerFactory.getLogger(ExchangeMode.class);

  /** From so many maps for each one that runs on, the others fill what one alone would not. */
  private static final int MANY_MAPS = 8;

  private static final int MOST_PUSHED_REDUCES = 256;
  private static final long MANY_RUNS = 2_000;
  private static final long SMALL_RUN_BYTES = 64 << 10;

  /**
   * That of a job's settings.
   *
   * @param inputBytes of all maps, which says how much their outputs may be
   */
  public static ExchangeMode of(JobConf job, int maps, int mapThreads, long inputBytes) {
    String configured = LocalSettings.EXCHANGE.get(job::getTrimmed);
    Isolation isolation = Isolation.of(job);
    if (isolation == Isolation.TASK) {
      return PULL; // maps that share a sort buffer share the classes of what they put in
    }
    if (job.getInt(MRJobConfig.SPILL_FILES_COUNT_LIMIT, -1) >= 0) {
      return PULL; // a limit is each map's, and what maps share is spilled for all of them
    }
    if (configured.equals("push") && isolation != Isolation.NONE) {
      LOG.warn(
          "Maps push to the same sort buffers only where they share their classes, with"
              + " sluice.local.isolation=none; the exchange is hybrid");
      return HYBRID;
    }
    int mostPushed = Math.min(MOST_PUSHED_REDUCES, TaskMemory.mostSorting());
    if (configured.equals("push") && job.getNumReduceTasks() > mostPushed) {
      LOG.warn(
          "{} reduces, of which each would have a sort buffer of its own, are too many to push to;"
              + " the exchange is hybrid",
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
