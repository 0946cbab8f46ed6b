package io.sluice.local.job;

import java.io.Closeable;
import java.io.IOException;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.apache.hadoop.mapred.JobConf;
import org.apache.hadoop.mapred.JobID;
import org.apache.hadoop.mapreduce.MRJobConfig;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Keeps the jobs that count Pig's rows for a {@code rank} to one task at a time, and other jobs of
 * Pig away meanwhile. Those programs keep the task they work for in static fields (Pig 0.17's
 * {@code PigMapReduceCounter} and {@code PigStatusReporter}), and the script's later jobs number
 * rows by what was counted for each task: with a second task beside it the numbers are wrong.
 *
 * <p>Thread contract: safe from any thread. Failure: a job that would wait for the job whose task
 * has started it fails at once.
 */
final class ExclusiveJobs {
  private static final Logger LOG = LoggerFactory.getLogger(ExclusiveJobs.class);
  private static final String PIG = "org.apache.pig.";
  private static final String COUNTING =
      PIG + "backend.hadoop.executionengine.mapReduceLayer.PigMapReduceCounter$";

  /** Those of this process. */
  static final ExclusiveJobs HERE = new ExclusiveJobs();

  private final Set<JobID> running = new HashSet<>();
  private boolean alone; // whether the one that runs counts
  private int waiting; // of those that count

  ExclusiveJobs() {}

  /** Whether a job's tasks cannot run beside one another. */
  static boolean isExclusive(JobConf job) {
    return hasProgramOf(job, COUNTING);
  }

  private static boolean hasProgramOf(JobConf job, String prefix) {
    return List.of(MRJobConfig.MAP_CLASS_ATTR, MRJobConfig.REDUCE_CLASS_ATTR).stream()
        .anyMatch(name -> job.getTrimmed(name, "").startsWith(prefix));
  }

  /**
   * Waits until a job may run.
   *
   * @param ancestors jobs that wait for this one
   * @return to be closed when its tasks have ended
   */
  Closeable enter(JobConf job, JobID id, Set<JobID> ancestors)
      throws IOException, InterruptedException {
    if (!hasProgramOf(job, PIG)) {
      return () -> {};
    }
    if (isExclusive(job)) {
      LOG.info(
          "{}: Pig counts rows in static fields, so its tasks run one at a time, and no other job"
              + " of Pig beside them",
          id);
      enterAlone(id, ancestors);
    } else {
      enter(id, ancestors);
    }
    return () -> leave(id);
  }

  private synchronized void enterAlone(JobID id, Set<JobID> ancestors)
      throws IOException, InterruptedException {
    waiting++;
    try {
      while (!running.isEmpty()) {
        requireNoneOf(ancestors, id);
        wait();
      }
      running.add(id);
      alone = true;
    } finally {
      waiting--;
      notifyAll();
    }
  }

  /** Behind those that wait to be alone, unless one of them waits for this one's ancestor. */
  private synchronized void enter(JobID id, Set<JobID> ancestors)
      throws IOException, InterruptedException {
    while (alone || waiting > 0) {
      if (alone) {
        requireNoneOf(ancestors, id);
      } else if (ancestors.stream().anyMatch(running::contains)) {
        break;
      }
      wait();
    }
    running.add(id);
  }

  private void requireNoneOf(Set<JobID> ancestors, JobID id) throws IOException {
    for (JobID ancestor : ancestors) {
      if (running.contains(ancestor)) {
        throw new IOException(
            id
                + " cannot run beside "
                + ancestor
                + ", whose task has started it: Pig counts rows in static fields");
      }
    }
  }

  private synchronized void leave(JobID id) {
    running.remove(id);
    alone = false;
    notifyAll();
  }
}
