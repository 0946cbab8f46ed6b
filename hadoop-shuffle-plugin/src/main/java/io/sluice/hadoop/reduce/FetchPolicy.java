package io.sluice.hadoop.reduce;

import org.apache.hadoop.mapred.JobConf;
import org.apache.hadoop.mapreduce.MRJobConfig;

/**
 * Stock's own settings of the fetch policy.
 *
 * @param failuresBeforeReport failures of one output after which the ApplicationMaster hears
 * @param reportReadErrors whether it hears of every read error at once
 * @param maxHostFailures failures of one host after which it hears of every further one
 * @param maxPenaltyMs upper bound on how long a host is left alone
 */
record FetchPolicy(
    int failuresBeforeReport, boolean reportReadErrors, int maxHostFailures, long maxPenaltyMs) {

  static FetchPolicy of(JobConf job) {
    return new FetchPolicy(
        job.getInt(MRJobConfig.SHUFFLE_FETCH_FAILURES, 10),
        job.getBoolean(MRJobConfig.SHUFFLE_NOTIFY_READERROR, true),
        job.getInt(
            MRJobConfig.MAX_SHUFFLE_FETCH_HOST_FAILURES,
            MRJobConfig.DEFAULT_MAX_SHUFFLE_FETCH_HOST_FAILURES),
        job.getLong(
            MRJobConfig.MAX_SHUFFLE_FETCH_RETRY_DELAY,
            MRJobConfig.DEFAULT_MAX_SHUFFLE_FETCH_RETRY_DELAY));
  }
}
