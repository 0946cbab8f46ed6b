package io.sluice.it.jobs;

import java.io.IOException;
import java.time.Duration;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.io.LongWritable;
import org.apache.hadoop.io.NullWritable;
import org.apache.hadoop.io.Text;
import org.apache.hadoop.mapreduce.Job;
import org.apache.hadoop.mapreduce.JobStatus;
import org.apache.hadoop.mapreduce.Mapper;
import org.apache.hadoop.mapreduce.TaskReport;
import org.apache.hadoop.mapreduce.TaskType;
import org.apache.hadoop.mapreduce.lib.input.FileInputFormat;
import org.apache.hadoop.mapreduce.lib.output.NullOutputFormat;

/** A job that its client kills while its maps run; status 0 only if it was killed. */
public final class KilledJob {
  private static final Duration DEADLINE = Duration.ofMinutes(5);
  private static final long PAUSE_MS = 50;

  private KilledJob() {}

  /** Waits to be interrupted. */
  public static final class Waits extends Mapper<LongWritable, Text, NullWritable, NullWritable> {
    @Override
    protected void setup(Context context) throws InterruptedException {
      Thread.sleep(DEADLINE.toMillis());
    }
  }

  /** Of the files in the directory named by the only argument. */
  public static void main(String[] arguments) throws Exception {
    Job job = Job.getInstance(new Configuration(), "killed job");
    job.setMapperClass(Waits.class);
    job.setNumReduceTasks(0);
    job.setOutputFormatClass(NullOutputFormat.class);
    FileInputFormat.addInputPaths(job, arguments[0]);
    job.submit();
    long endNs = System.nanoTime() + DEADLINE.toNanos();
    while (!runs(job)) {
      if (System.nanoTime() - endNs > 0) {
        throw new IOException("no map of it has begun");
      }
      Thread.sleep(PAUSE_MS);
    }
    job.killJob();
    job.waitForCompletion(false);
    System.exit(job.getJobState() == JobStatus.State.KILLED ? 0 : 1);
  }

  private static boolean runs(Job job) throws IOException, InterruptedException {
    for (TaskReport report : job.getTaskReports(TaskType.MAP)) {
      if (!report.getRunningTaskAttemptIds().isEmpty()) {
        return true;
      }
    }
    return false;
  }
}
