package io.sluice.local.exchange;

import io.sluice.mapreduce.reduce.MergeRun;
import io.sluice.memory.store.ProcessStore;
import io.sluice.spill.cipher.ShuffleKey;
import io.sluice.spill.format.LocatedRun;
import io.sluice.spill.format.OutputId;
import io.sluice.spill.store.CommittedOutput;
import java.io.Closeable;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import org.apache.hadoop.mapred.JobID;
import org.apache.hadoop.mapred.TaskAttemptID;
import org.apache.hadoop.util.Progressable;

/**
 * Hands the map outputs of one job to its reduces, inside one process. Hadoop makes collector and
 * shuffle of a task by the names of their classes, so they find it here, by their job.
 *
 * <p>Thread contract: safe from any thread. Ownership: the job closes it, after all of its tasks
 * have ended: that frees what its maps have put out, and closes what failed tasks have left open.
 * Failure: {@link IOException} of the store.
 */
public final class JobExchange implements Closeable {
  private static final long PROGRESS_MS = 1_000;
  private static final Map<JobID, JobExchange> ALL = new ConcurrentHashMap<>();

  private final JobID job;
  private final ProcessStore store;
  private final ShuffleKey key; // null: nothing is encrypted
  private final ReentrantLock lock = new ReentrantLock();
  private final Condition changed = lock.newCondition();
  private final TaskAttemptID[] done; // by map
  private final Map<TaskAttemptID, Closeable> open = new ConcurrentHashMap<>();
  private int doneCount;
  private boolean ended;

  private JobExchange(JobID job, ProcessStore store, int maps, ShuffleKey key) {
    this.job = job;
    this.store = store;
    this.key = key;
    this.done = new TaskAttemptID[maps];
  }

  /**
   * Of a job that begins.
   *
   * @param key that its outputs are encrypted with, or null; closed with this
   */
  public static JobExchange begin(JobID job, ProcessStore store, int maps, ShuffleKey key) {
    JobExchange exchange = new JobExchange(job, store, maps, key);
    if (ALL.putIfAbsent(job, exchange) != null) {
      throw new IllegalStateException(job + " runs already");
    }
    return exchange;
  }

  static JobExchange of(JobID job) throws IOException {
    JobExchange found = ALL.get(job);
    if (found == null) {
      throw new IOException(job + " does not run in this process");
    }
    return found;
  }

  ProcessStore store() {
    return store;
  }

  ShuffleKey key() {
    return key;
  }

  /** What the store calls a job. */
  public static String applicationId(JobID job) {
    return "application_" + job.getJtIdentifier() + "_" + job.getId();
  }

  String applicationId() {
    return applicationId(job);
  }

  OutputId outputId(TaskAttemptID map) {
    return new OutputId(applicationId(job), map.toString());
  }

  /** Something to be closed when an attempt has ended, unless it has closed it itself. */
  void opened(TaskAttemptID attempt, Closeable what) {
    open.put(attempt, what);
  }

  /** An attempt has ended. */
  public void ended(TaskAttemptID attempt) throws IOException {
    Closeable left = open.remove(attempt);
    if (left != null) {
      left.close();
    }
  }

  /** A map has ended, and reduces may read what this attempt has put out. */
  public void mapDone(TaskAttemptID map) {
    lock.lock();
    try {
      int number = map.getTaskID().getId();
      if (done[number] == null) {
        doneCount++;
      }
      done[number] = map;
      changed.signalAll();
    } finally {
      lock.unlock();
    }
  }

  /** No more maps will end: whoever waits for one is told so. */
  public void end() {
    lock.lock();
    try {
      ended = true;
      changed.signalAll();
    } finally {
      lock.unlock();
    }
  }

  /** Waits until so many maps have ended; false if they never will. */
  public boolean awaitMaps(int count, Progressable progress) throws InterruptedException {
    lock.lock();
    try {
      while (doneCount < count && !ended) {
        if (!changed.await(PROGRESS_MS, TimeUnit.MILLISECONDS)) {
          progress.progress();
        }
      }
      return doneCount >= count;
    } finally {
      lock.unlock();
    }
  }

  int maps() {
    return done.length;
  }

  /** The runs of a partition, once all maps have ended. */
  List<MergeRun> runs(int partition, boolean compressed) throws IOException {
    List<MergeRun> runs = new ArrayList<>();
    for (TaskAttemptID map : done) {
      OutputId id = outputId(map);
      Optional<CommittedOutput> output = store.store().find(id);
      if (output.isEmpty()) {
        throw new IOException("the output of " + map + " is gone");
      }
      for (LocatedRun run : output.get().runs(partition)) {
        runs.add(StoredRun.open(store.mapper(), id, run, partition, compressed, key));
      }
    }
    return runs;
  }

  @Override
  public void close() throws IOException {
    ALL.remove(job, this);
    end();
    try (key) {
      for (TaskAttemptID attempt : List.copyOf(open.keySet())) {
        ended(attempt);
      }
    } finally {
      store.store().freeApplication(applicationId());
    }
  }
}
