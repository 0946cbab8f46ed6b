package io.sluice.mapreduce.id;

import java.util.Locale;
import org.apache.hadoop.mapreduce.JobID;
import org.apache.hadoop.mapreduce.TaskAttemptID;
import org.apache.hadoop.mapreduce.TaskID;

/**
 * Names of applications and attempts, in ASCII digits. Hadoop's own {@code toString} uses the
 * digits of the process's locale, so two processes may write the same id differently.
 *
 * <p>Thread contract: safe from any thread.
 */
public final class TaskNames {
  private TaskNames() {}

  /** The YARN application of a job, for example {@code application_1_0001}. */
  public static String application(JobID job) {
    return "application_" + numbers(job);
  }

  /** A job, for example {@code job_1_0001}. */
  public static String job(JobID job) {
    return "job_" + numbers(job);
  }

  /** An attempt, for example {@code attempt_1_0001_m_000003_0}. */
  public static String attempt(TaskAttemptID attempt) {
    TaskID task = attempt.getTaskID();
    return "attempt_"
        + numbers(attempt.getJobID())
        + String.format(
            Locale.ROOT,
            "_%c_%06d_%d",
            TaskID.getRepresentingCharacter(task.getTaskType()),
            task.getId(),
            attempt.getId());
  }

  private static String numbers(JobID job) {
    return job.getJtIdentifier() + String.format(Locale.ROOT, "_%04d", job.getId());
  }
}
