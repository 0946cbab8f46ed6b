package io.sluice.local.task;

import io.sluice.local.count.MeteredOutput;
import java.io.IOException;
import org.apache.hadoop.mapred.JobConf;
import org.apache.hadoop.mapred.JobID;
import org.apache.hadoop.mapred.MapTask;
import org.apache.hadoop.mapred.ReduceTask;
import org.apache.hadoop.mapred.Reporter;
import org.apache.hadoop.mapred.TaskAttemptID;
import org.apache.hadoop.mapreduce.split.JobSplit.TaskSplitIndex;

/** Hadoop's own tasks, with the writer of the new API measured. */
final class LocalTasks {
  private LocalTasks() {}

  static final class LocalMap extends MapTask {
    LocalMap(String jobFile, TaskAttemptID attempt, TaskSplitIndex split) {
      super(jobFile, attempt, attempt.getTaskID().getId(), split, 1);
    }

    @Override
    public void initialize(JobConf job, JobID id, Reporter reporter, boolean useNewApi)
        throws IOException, ClassNotFoundException, InterruptedException {
      super.initialize(job, id, reporter, useNewApi);
      outputFormat = MeteredOutput.of(outputFormat, job);
    }
  }

  static final class LocalReduce extends ReduceTask {
    LocalReduce(String jobFile, TaskAttemptID attempt, int maps) {
      super(jobFile, attempt, attempt.getTaskID().getId(), maps, 1);
    }

    @Override
    public void initialize(JobConf job, JobID id, Reporter reporter, boolean useNewApi)
        throws IOException, ClassNotFoundException, InterruptedException {
      super.initialize(job, id, reporter, useNewApi);
      outputFormat = MeteredOutput.of(outputFormat, job);
    }
  }
}
