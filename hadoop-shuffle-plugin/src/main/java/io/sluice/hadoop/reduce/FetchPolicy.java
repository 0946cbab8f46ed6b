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
 * @param connectMs for how long a host is tried that cannot be reached, before that is a failure
 * @param retryMs for how long an output is tried again that was not read to its end, before that is
 *     a failure; 0 for not at all
 * @param retryIntervalMs from one of these tries to the next
 * @param notifications reports of one output that the ApplicationMaster needs to run its map again,
 *     if they are of half of the reduces that shuffle; 0 where it should not, for this reduce alone
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

  /** The same for the first attempt of a reduce: another host may reach what it does not. */
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

  /** By default where NodeManagers keep their applications when they restart. */
  private static boolean retries(JobConf job) {
    return job.getBoolean(
        MRJobConfig.SHUFFLE_FETCH_RETRY_ENABLED,
        job.getBoolean(
            YarnConfiguration.NM_RECOVERY_ENABLED, YarnConfiguration.DEFAULT_NM_RECOVERY_ENABLED));
  }
}
