package io.sluice.local.job;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Deque;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.apache.hadoop.mapreduce.JobID;

/**
 * All jobs of a process: those that run, and of those that have ended as much as is worth its
 * memory. The last ones are kept with their tasks, more with their status and counters, and the
 * oldest are forgotten.
 *
 * <p>Thread contract: safe from any thread.
 */
public final class JobTable {
  private final int mostWithTasks;
  private final int mostEnded;
  private final Map<JobID, LocalJob> running = new HashMap<>();
  private final Map<JobID, EndedJob> ended = new LinkedHashMap<>();
  private final Deque<JobID> withTasks = new ArrayDeque<>();

  /**
   * Of no jobs.
   *
   * @param mostWithTasks ended jobs of which tasks can be asked for
   * @param mostEnded ended jobs that are known at all
   */
  public JobTable(int mostWithTasks, int mostEnded) {
    this.mostWithTasks = mostWithTasks;
    this.mostEnded = mostEnded;
  }

  /** One that begins soon. */
  public synchronized void add(LocalJob job) {
    JobID id = key(job.status().getJobID());
    running.put(id, job);
    job.onEnd(end -> ended(id, end));
  }

  /** One that has not begun, and never will. */
  public synchronized void forget(JobID id) {
    running.remove(key(id));
  }

  private synchronized void ended(JobID id, EndedJob job) {
    running.remove(id);
    ended.put(id, job);
    withTasks.add(id);
    if (withTasks.size() > mostWithTasks) {
      ended.computeIfPresent(withTasks.remove(), (old, its) -> its.withoutTasks());
    }
    if (ended.size() > mostEnded) {
      ended.remove(ended.keySet().iterator().next());
    }
  }

  /** Identifiers of the older and the newer interface are not equal. */
  private static JobID key(JobID id) {
    return org.apache.hadoop.mapred.JobID.downgrade(id);
  }

  /** Null if there is none, or none any more. */
  public synchronized JobView find(JobID id) {
    LocalJob job = running(id);
    return job == null ? ended.get(key(id)) : job;
  }

  /** Null unless it runs. */
  public synchronized LocalJob running(JobID id) {
    return running.get(key(id));
  }

  /** The oldest first. */
  public synchronized Collection<JobView> all() {
    List<JobView> all = new ArrayList<>(ended.values());
    all.addAll(running.values());
    return all;
  }
}
