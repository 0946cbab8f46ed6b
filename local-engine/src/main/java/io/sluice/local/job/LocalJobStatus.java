package io.sluice.local.job;

import org.apache.hadoop.mapred.JobACLsManager;
import org.apache.hadoop.mapred.JobConf;
import org.apache.hadoop.mapreduce.JobID;
import org.apache.hadoop.mapreduce.JobPriority;
import org.apache.hadoop.mapreduce.JobStatus;

/** A moment of a job, with what Hadoop lets only subclasses say. */
final class LocalJobStatus extends JobStatus {
  /**
   * Of such progress, each from 0 to 1.
   *
   * @param failureInfo why it failed, or nothing
   */
  LocalJobStatus(
      JobID id,
      float setup,
      float maps,
      float reduces,
      float cleanup,
      State state,
      JobPriority priority,
      JobConf conf,
      String jobFile,
      long startMs,
      long finishMs,
      String failureInfo) {
    super(
        id,
        setup,
        maps,
        reduces,
        cleanup,
        state,
        priority,
        conf.getUser(),
        conf.getJobName(),
        conf.getQueueName(),
        jobFile,
        "",
        false);
    setJobACLs(new JobACLsManager(conf).constructJobACLs(conf));
    setStartTime(startMs);
    setFinishTime(finishMs);
    setFailureInfo(failureInfo);
  }
}
