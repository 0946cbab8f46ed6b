package io.sluice.local.task;

import io.sluice.local.count.MeteredFormats;
import java.io.IOException;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.mapred.JobConf;
import org.apache.hadoop.mapred.JobID;
import org.apache.hadoop.mapred.MapTask;
import org.apache.hadoop.mapred.ReduceTask;
import org.apache.hadoop.mapred.Reporter;
import org.apache.hadoop.mapred.TaskAttemptContext;
import org.apache.hadoop.mapred.TaskAttemptContextImpl;
import org.apache.hadoop.mapred.TaskAttemptID;
import org.apache.hadoop.mapreduce.OutputCommitter;
import org.apache.hadoop.mapreduce.lib.output.FileOutputCommitter;
import org.apache.hadoop.mapreduce.split.JobSplit.TaskSplitIndex;

/** Hadoop's map and reduce tasks, with a measured writer of the new API. */
final class LocalTasks {
  private LocalTasks() {}

  /** A task that can abort its output. */
  interface Abortable {
    /**
     * Aborts the output with the committer that did the attempt's setup; does nothing without a
     * committer.
     */
    void abortOutput() throws IOException;
  }

  private static void abort(OutputCommitter committer, TaskAttemptContext attempt)
      throws IOException {
    if (committer != null && !isWithoutFiles(committer, (TaskAttemptContextImpl) attempt)) {
      committer.abortTask(attempt);
    }
  }

  /**
   * Whether there is nothing to abort. Stock's committer warns if its directory does not exist, and
   * maps before reduces have none.
   */
  private static boolean isWithoutFiles(OutputCommitter committer, TaskAttemptContextImpl attempt)
      throws IOException {
    Path directory = null;
    if (committer.getClass() == FileOutputCommitter.class) {
      directory = ((FileOutputCommitter) committer).getTaskAttemptPath(attempt);
    } else if (committer.getClass() == org.apache.hadoop.mapred.FileOutputCommitter.class) {
      directory =
          ((org.apache.hadoop.mapred.FileOutputCommitter) committer).getTaskAttemptPath(attempt);
    }
    return directory != null
        && !directory.getFileSystem(attempt.getConfiguration()).exists(directory);
  }

  static final class LocalMap extends MapTask implements Abortable {
    LocalMap(String jobFile, TaskAttemptID attempt, TaskSplitIndex split) {
      super(jobFile, attempt, attempt.getTaskID().getId(), split, 1);
    }

    @Override
    public void initialize(JobConf job, JobID id, Reporter reporter, boolean useNewApi)
        throws IOException, ClassNotFoundException, InterruptedException {
      super.initialize(job, id, reporter, useNewApi);
      outputFormat = MeteredFormats.output(outputFormat, job);
    }

    @Override
    public void abortOutput() throws IOException {
      abort(committer, taskContext);
    }
  }

  static final class LocalReduce extends ReduceTask implements Abortable {
    LocalReduce(String jobFile, TaskAttemptID attempt, int maps) {
      super(jobFile, attempt, attempt.getTaskID().getId(), maps, 1);
    }

    @Override
    public void initialize(JobConf job, JobID id, Reporter reporter, boolean useNewApi)
        throws IOException, ClassNotFoundException, InterruptedException {
      super.initialize(job, id, reporter, useNewApi);
      outputFormat = MeteredFormats.output(outputFormat, job);
    }

    @Override
    public void abortOutput() throws IOException {
      abort(committer, taskContext);
    }
  }
}
