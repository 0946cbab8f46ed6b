package io.sluice.local.job;

import org.apache.hadoop.mapred.JobConf;
import org.apache.hadoop.mapred.JobEndNotifier;
import org.apache.hadoop.mapred.JobStatus;
import org.apache.hadoop.mapreduce.MRJobConfig;

/** Sends the job-end notification with stock's notifier. */
final class JobEndNotice {
  private JobEndNotice() {}

  /**
   * Returns after the notification, or after the timeout of the first try. Further tries go on, and
   * the process waits for them.
   */
  static void send(JobConf conf, JobStatus status) {
    if (conf.getJobEndNotificationURI() == null) {
      return;
    }
    Thread sender =
        new Thread(
            () -> JobEndNotifier.localRunnerNotification(conf, status),
            "sluice-end " + status.getJobID());
    sender.setDaemon(false);
    sender.start();
    try {
      int timeoutMs =
          conf.getInt(
              MRJobConfig.MR_JOB_END_NOTIFICATION_TIMEOUT,
              MRJobConfig.DEFAULT_MR_JOB_END_NOTIFICATION_TIMEOUT);
      sender.join(Math.max(1, timeoutMs)); // 0 would wait for ever
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt(); // the job ends now, and the sender goes on
    }
  }
}
