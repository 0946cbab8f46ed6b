package io.sluice.hadoop.reduce;

import org.apache.hadoop.mapred.JobConf;
import org.apache.hadoop.mapreduce.MRJobConfig;
import org.apache.hadoop.yarn.conf.YarnConfiguration;

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
 * @param notifications how many reports of one output make the ApplicationMaster run its map again,
 *     if half of the shuffling reduces send them; 0 where this reduce alone should not cause that
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
        retries(job) ? job.getInt(MRJobConfig.SHUFFLE_FETCH_RETRY_TIMEOUT_MS, DEFAULT_RETRY_MS) : 0,
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

  /** By default, tries again where NodeManagers keep their applications over a restart. */
  private static boolean retries(JobConf job) {
    return job.getBoolean(
        MRJobConfig.SHUFFLE_FETCH_RETRY_ENABLED,
        job.getBoolean(
            YarnConfiguration.NM_RECOVERY_ENABLED, YarnConfiguration.DEFAULT_NM_RECOVERY_ENABLED));
  }
}
