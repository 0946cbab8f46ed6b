package io.sluice.hadoop.reduce;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.sluice.hadoop.reduce.FetchRules.FetchPolicy;
import org.apache.hadoop.mapred.JobConf;
import org.apache.hadoop.mapreduce.MRJobConfig;
import org.apache.hadoop.yarn.conf.YarnConfiguration;
import org.junit.jupiter.api.Test;

/** Which of stock's settings are read, and what holds without them. */
final class FetchPolicyTest {
  private final JobConf job = new JobConf(false);

  @Test
  void withoutSettingsItIsStocks() {
    assertEquals(new FetchPolicy(10, true, 5, 60_000, 180_000, 0, 1_000, 3), FetchPolicy.of(job));
  }

  @Test
  void eachSettingIsRead() {
    job.setInt(MRJobConfig.SHUFFLE_FETCH_FAILURES, 11);
    job.setBoolean(MRJobConfig.SHUFFLE_NOTIFY_READERROR, false);
    job.setInt(MRJobConfig.MAX_SHUFFLE_FETCH_HOST_FAILURES, 12);
    job.setLong(MRJobConfig.MAX_SHUFFLE_FETCH_RETRY_DELAY, 13);
    job.setInt(MRJobConfig.SHUFFLE_CONNECT_TIMEOUT, 14);
    job.setBoolean(MRJobConfig.SHUFFLE_FETCH_RETRY_ENABLED, true);
    job.setInt(MRJobConfig.SHUFFLE_FETCH_RETRY_TIMEOUT_MS, 15);
    job.setInt(MRJobConfig.SHUFFLE_FETCH_RETRY_INTERVAL_MS, 16);
    job.setInt(MRJobConfig.MAX_FETCH_FAILURES_NOTIFICATIONS, 17);
    assertEquals(new FetchPolicy(11, false, 12, 13, 14, 15, 16, 17), FetchPolicy.of(job));
  }

  /** A job's own word counts more than its cluster's. */
  @Test
  void retriesAreThoseOfNodeManagersThatRecover() {
    job.setBoolean(YarnConfiguration.NM_RECOVERY_ENABLED, true);
    assertEquals(30_000, FetchPolicy.of(job).retryMs());
    job.setBoolean(MRJobConfig.SHUFFLE_FETCH_RETRY_ENABLED, false);
    assertEquals(0, FetchPolicy.of(job).retryMs());
    job.setBoolean(YarnConfiguration.NM_RECOVERY_ENABLED, false);
    job.setBoolean(MRJobConfig.SHUFFLE_FETCH_RETRY_ENABLED, true);
    assertEquals(30_000, FetchPolicy.of(job).retryMs());
  }
}
