package io.sluice.local;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;

import io.sluice.rdma.testing.TestSeed;
import java.io.IOException;
import java.nio.file.Path;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicReference;
import org.apache.hadoop.io.IntWritable;
import org.apache.hadoop.io.Text;
import org.apache.hadoop.mapreduce.Job;
import org.apache.hadoop.mapreduce.JobContext;
import org.apache.hadoop.mapreduce.JobStatus;
import org.apache.hadoop.mapreduce.OutputCommitter;
import org.apache.hadoop.mapreduce.TaskAttemptContext;
import org.apache.hadoop.mapreduce.lib.output.FileOutputCommitter;
import org.apache.hadoop.mapreduce.lib.output.TextOutputFormat;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** A job that is killed while it commits ends as with stock's ApplicationMaster. */
@Timeout(value = 300, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class KilledCommitTest {
  private static volatile CountDownLatch commits;
  private static volatile CountDownLatch goOn;
  private static volatile How how;
  private static final AtomicReference<JobStatus.State> ABORTED = new AtomicReference<>();

  /** What the commit does when it is killed. */
  enum How {
    ENDS_WHEN_INTERRUPTED,
    FAILS,
    ENDS_WELL
  }

  @TempDir private Path directory;

  @AfterEach
  void nothingIsLeft() throws Exception {
    Leftovers.none(new Jobs(directory).conf(), directory.resolve("tmp"));
  }

  /** Waits in its commit. */
  public static class Output extends TextOutputFormat<Text, IntWritable> {
    @Override
    public synchronized OutputCommitter getOutputCommitter(TaskAttemptContext context)
        throws IOException {
      return new FileOutputCommitter(getOutputPath(context), context) {
        @Override
        public void commitJob(JobContext job) throws IOException {
          commits.countDown();
          while (goOn.getCount() > 0) {
            try {
              goOn.await();
            } catch (InterruptedException e) {
              if (how == How.ENDS_WHEN_INTERRUPTED) {
                throw new IOException("interrupted", e);
              }
            }
          }
          if (how == How.FAILS) {
            throw new IOException("on purpose");
          }
          super.commitJob(job);
        }

        @Override
        public void abortJob(JobContext job, JobStatus.State state) throws IOException {
          ABORTED.set(state);
          super.abortJob(job, state);
        }
      };
    }
  }

  @ParameterizedTest
  @EnumSource(How.class)
  void itIsAbortedAndKilled(How what) throws Exception {
    how = what;
    commits = new CountDownLatch(1);
    goOn = new CountDownLatch(1);
    ABORTED.set(null);
    Jobs jobs = new Jobs(directory);
    jobs.writeWords(TestSeed.random(), 1, 10);
    Job job = jobs.wordCount("sluice", 1, false);
    job.setOutputFormatClass(Output.class);
    job.submit();
    commits.await();
    job.killJob();
    if (what != How.ENDS_WHEN_INTERRUPTED) {
      goOn.countDown();
    }
    assertFalse(job.waitForCompletion(false));
    assertEquals(JobStatus.State.KILLED, job.getStatus().getState());
    assertEquals(JobStatus.State.KILLED, ABORTED.get());
  }
}
