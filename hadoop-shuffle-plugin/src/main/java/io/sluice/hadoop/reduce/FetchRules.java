package io.sluice.hadoop.reduce;

import io.sluice.hadoop.reduce.FetchFailures.Kind;
import java.util.random.RandomGenerator;
import org.apache.hadoop.mapred.JobConf;
import org.apache.hadoop.mapreduce.MRJobConfig;
import org.apache.hadoop.yarn.conf.YarnConfiguration;

/**
 * The rules of a shuffle as functions of counts and ages: how long to wait before a host or an
 * output is asked again, and when a reduce attempt has failed. Those of penalties and of hopeless
 * attempts are those of stock's {@code ShuffleSchedulerImpl}, figure for figure.
 *
 * <p>Differs from {@link FetchFailures} and {@link FetchHost}, which keep the accounts. Thread
 * contract: stateless. Failure: none.
 */
public final class FetchRules {
  /** As many map outputs as stock's scheduler asks one host for. */
  public static final int MAX_MAPS_AT_ONCE = 20;

  private static final long INITIAL_PENALTY_MS = 10_000;
  private static final double PENALTY_GROWTH = 1.3;
  private static final int MIN_ABORT_FAILURES = 30;
  private static final int MAX_UNIQUE_FAILURES = 5;
  private static final double MAX_FAILED_FETCH_SHARE = 0.5;
  private static final double MIN_PROGRESS_SHARE = 0.5;
  private static final double MAX_STALL_SHARE = 0.5;

  private static final long FIRST_REFUSAL_MS = 500;
  private static final long LONGEST_REFUSAL_MS = 30_000;
  private static final int MAX_DOUBLINGS = 10;

  private static final long SHORTEST_PAUSE_MS = 500;
  private static final long LONGEST_PAUSE_MS = 10_000;

  private FetchRules() {}

  /** How long to leave a host alone after an output has failed so many times. */
  static long penaltyMs(int failures, long maxMs) {
    return Math.min((long) (INITIAL_PENALTY_MS * Math.pow(PENALTY_GROWTH, failures)), maxMs);
  }

  /** How often one output may fail before the attempt has. */
  static int mostFailures(int totalMaps) {
    return Math.max(MIN_ABORT_FAILURES, totalMaps / 10);
  }

  /**
   * Whether an attempt is hopeless, judged by all of its fetches.
   *
   * @param failedMaps outputs that have failed at least once
   * @param failures fetches that have failed
   * @param stallMs since the last output came
   * @param runMs of the attempt until then, or of the longest map if that is more
   */
  static boolean isHopeless(
      int failedMaps, long failures, int doneMaps, int totalMaps, long stallMs, long runMs) {
    boolean tooManyMaps =
        failedMaps >= Math.min(totalMaps, MAX_UNIQUE_FAILURES)
            || failedMaps == totalMaps - doneMaps;
    // As stock, whose 0 / 0 is not less than anything: nothing done yet counts as unhealthy.
    boolean healthy = (double) failures / (failures + doneMaps) < MAX_FAILED_FETCH_SHARE;
    boolean progressedEnough = (double) doneMaps / totalMaps >= MIN_PROGRESS_SHARE;
    boolean stalled = (double) stallMs / runMs >= MAX_STALL_SHARE;
    return tooManyMaps && !healthy && (!progressedEnough || stalled);
  }

  /**
   * How long to leave a host alone whose service is busy: longer each time, and not all reducers
   * for as long.
   *
   * @param refusals before this one, in a row
   */
  static long refusalMs(int refusals, RandomGenerator random) {
    long delayMs =
        Math.min(LONGEST_REFUSAL_MS, FIRST_REFUSAL_MS << Math.min(refusals, MAX_DOUBLINGS));
    return delayMs / 2 + random.nextLong(delayMs);
  }

  /**
   * How long to wait before an output that cannot be had is asked for again: as long as stock where
   * stock tries the same again, else the longer the older the trouble is.
   *
   * @param retryIntervalMs stock's
   */
  static long pauseMs(Kind kind, long ageMs, long retryIntervalMs, RandomGenerator random) {
    if (kind == Kind.READ) {
      return retryIntervalMs;
    }
    long pauseMs = Math.max(SHORTEST_PAUSE_MS, Math.min(LONGEST_PAUSE_MS, ageMs));
    return pauseMs / 2 + random.nextLong(pauseMs);
  }

  /**
   * Stock's own settings of the fetch policy.
   *
   * @param failuresBeforeReport failures of one output after which the ApplicationMaster hears
   * @param reportReadErrors whether it hears of every read error at once
   * @param maxHostFailures failures of one host after which it hears of every further one
   * @param maxPenaltyMs upper bound on how long a host is left alone
   * @param connectMs how long to try a host that cannot be reached before its outputs fail
   * @param retryMs how long to try an output again that was not read to its end before it fails; 0
   *     for not at all
   * @param retryIntervalMs from one of these tries to the next
   * @param notifications how many reports of one output make the ApplicationMaster run its map
   *     again, if half of the shuffling reduces send them; 0 where this reduce alone should not
   *     cause that
   */
  record FetchPolicy(
      int failuresBeforeReport,
      boolean reportReadErrors,
      int maxHostFailures,
      long maxPenaltyMs,
      long connectMs,
      long retryMs,
      long retryIntervalMs,
      int notifications) {
    static final int DEFAULT_CONNECT_MS = 180_000;
    private static final int DEFAULT_RETRY_MS = 30_000;

    static FetchPolicy of(JobConf job) {
      return new FetchPolicy(
          job.getInt(MRJobConfig.SHUFFLE_FETCH_FAILURES, 10),
          job.getBoolean(MRJobConfig.SHUFFLE_NOTIFY_READERROR, true),
          job.getInt(
              MRJobConfig.MAX_SHUFFLE_FETCH_HOST_FAILURES,
              MRJobConfig.DEFAULT_MAX_SHUFFLE_FETCH_HOST_FAILURES),
          job.getLong(
              MRJobConfig.MAX_SHUFFLE_FETCH_RETRY_DELAY,
              MRJobConfig.DEFAULT_MAX_SHUFFLE_FETCH_RETRY_DELAY),
          job.getInt(MRJobConfig.SHUFFLE_CONNECT_TIMEOUT, DEFAULT_CONNECT_MS),
          retries(job)
              ? job.getInt(MRJobConfig.SHUFFLE_FETCH_RETRY_TIMEOUT_MS, DEFAULT_RETRY_MS)
              : 0,
          job.getInt(
              MRJobConfig.SHUFFLE_FETCH_RETRY_INTERVAL_MS,
              MRJobConfig.DEFAULT_SHUFFLE_FETCH_RETRY_INTERVAL_MS),
          job.getInt(
              MRJobConfig.MAX_FETCH_FAILURES_NOTIFICATIONS,
              MRJobConfig.DEFAULT_MAX_FETCH_FAILURES_NOTIFICATIONS));
    }

    /**
     * The same for the first attempt of a reduce; the next one may run on a host that reaches more.
     */
    FetchPolicy ofFirstAttempt() {
      return new FetchPolicy(
          failuresBeforeReport,
          reportReadErrors,
          maxHostFailures,
          maxPenaltyMs,
          connectMs,
          retryMs,
          retryIntervalMs,
          0);
    }

    /** Whether to try again: by default, if NodeManagers keep applications over a restart. */
    private static boolean retries(JobConf job) {
      return job.getBoolean(
          MRJobConfig.SHUFFLE_FETCH_RETRY_ENABLED,
          job.getBoolean(
              YarnConfiguration.NM_RECOVERY_ENABLED,
              YarnConfiguration.DEFAULT_NM_RECOVERY_ENABLED));
    }
  }
}
