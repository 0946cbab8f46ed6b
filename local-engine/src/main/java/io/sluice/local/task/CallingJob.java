package io.sluice.local.task;

import java.util.HashSet;
import java.util.Set;
import org.apache.hadoop.mapred.JobID;

/**
 * Which jobs a thread works for: a task may start a job, and wait for it. Threads that a task
 * starts work for the same.
 *
 * <p>Thread contract: each thread has its own.
 */
public final class CallingJob {
  private static final InheritableThreadLocal<Set<JobID>> JOBS = new InheritableThreadLocal<>();

  private CallingJob() {}

  /** The job whose task runs here, and those whose tasks have started that, and so on. */
  public static Set<JobID> here() {
    Set<JobID> jobs = JOBS.get();
    return jobs == null ? Set.of() : jobs;
  }

  /** From now on this thread runs a task of that job. */
  static void enter(JobID job) {
    Set<JobID> jobs = new HashSet<>(here());
    jobs.add(job);
    JOBS.set(Set.copyOf(jobs));
  }
}
