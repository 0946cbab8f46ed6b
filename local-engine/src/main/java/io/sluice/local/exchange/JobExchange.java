package io.sluice.local.exchange;

import io.sluice.memory.store.ProcessStore;
import io.sluice.rdma.memory.Closer;
import io.sluice.spill.cipher.ShuffleKey;
import io.sluice.spill.sort.KeptChunks;
import java.io.Closeable;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import org.apache.hadoop.mapred.Counters;
import org.apache.hadoop.mapred.JobConf;
import org.apache.hadoop.mapred.JobID;
import org.apache.hadoop.mapred.TaskAttemptID;
import org.apache.hadoop.util.Progressable;

/**
 * Hands the map outputs of one job to its reduces, inside one process. Hadoop makes collector and
 * shuffle of a task by the names of their classes, so they find it here, by their job.
 *
 * <p>Thread contract: safe from any thread. Ownership: the job closes it, after all of its tasks
 * have ended or were given up: that frees what its maps have put out. Failure: {@link IOException}
 * of the store.
 */
public final class JobExchange implements Closeable {
  private static final long LOOK_NS = TimeUnit.MILLISECONDS.toNanos(200);
  private static final Map<JobID, JobExchange> ALL = new ConcurrentHashMap<>();

  private final JobOutputs outputs;
  private final ReentrantLock lock = new ReentrantLock();
  private final Condition changed = lock.newCondition(); // for who waits for a number of maps
  private final Condition completed = lock.newCondition();
  private final List<TaskAttemptID> done = new ArrayList<>(); // as they have ended
  private final Map<TaskAttemptID, Closeable> open = new ConcurrentHashMap<>();
  private final Map<TaskAttemptID, TaskPermits.Slot> slots = new ConcurrentHashMap<>();
  private volatile SharedSortBuffers streams; // null: each map has its own sort buffer
  private boolean complete;
  private boolean ended;
  private volatile boolean closed;

  private JobExchange(JobOutputs outputs) {
    this.outputs = outputs;
  }

  /**
   * Of a job that begins.
   *
   * @param key that its outputs are encrypted with, or null; closed with this
   */
  public static JobExchange begin(JobID job, ProcessStore store, int maps, ShuffleKey key) {
    JobExchange exchange =
        new JobExchange(
            new JobOutputs(job, store, maps, key, new KeptChunks(), new MemoryShares()));
    if (ALL.putIfAbsent(job, exchange) != null) {
      exchange.outputs.sortMemory().close();
      exchange.outputs.shares().close();
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

  /** What the store calls a job. */
  public static String applicationId(JobID job) {
    return JobOutputs.applicationId(job);
  }

  JobOutputs outputs() {
    return outputs;
  }

  /** What maps share, or null. */
  SharedSortBuffers streams() {
    return streams;
  }

  /**
   * The maps begin, with nothing done.
   *
   * @param tasks how many may run at a time
   */
  public void beginMaps(ExchangeMode mode, JobConf conf, TaskPermits tasks)
      throws IOException, ClassNotFoundException {
    int maps = outputs.maps();
    int reduces = conf.getNumReduceTasks();
    boolean push = mode == ExchangeMode.PUSH;
    boolean areShared = mode != ExchangeMode.PULL && reduces > 0 && maps > 0;
    int buffers =
        areShared
            ? SharedSortBuffers.count(push, conf, tasks.maps())
            : Math.min(maps, tasks.maps() + tasks.sorts());
    outputs
        .shares()
        .set(
            reduces == 0 ? 0 : buffers,
            Math.min(maps, tasks.sorts()) + Math.min(reduces, tasks.reduces()));
    if (areShared) {
      streams = SharedSortBuffers.open(push, conf, tasks.maps(), outputs);
    }
  }

  /** Whether what a failed map has put out is told from what others have. */
  public boolean isWithdrawable() {
    return streams == null;
  }

  /** Throws away what all maps have put out so far. */
  public void forgetMaps() throws IOException {
    lock.lock();
    try {
      done.clear(); // no reduce has taken any: see follow
    } finally {
      lock.unlock();
    }
    SharedSortBuffers closing = streams;
    streams = null;
    Closer.all(
        closing,
        () ->
            outputs
                .store()
                .store()
                .freeOutputs(outputs.applicationId(), SharedSortBuffers.prefix()));
  }

  /** What is to be done, each by any thread, when all maps have ended and before reduces begin. */
  public List<Callable<Void>> lastSorts() {
    SharedSortBuffers of = streams;
    return of == null ? List.of() : of.lastSorts();
  }

  /** All maps have ended, and what they share is sorted. */
  public void mapsDone() {
    outputs.sortMemory().close(); // reduces and who reads files may have it
    outputs.shares().sorted();
    lock.lock();
    try {
      complete = true;
      changed.signalAll();
      completed.signalAll();
    } finally {
      lock.unlock();
    }
  }

  /** What was counted where maps share a sort buffer, and so for none of them. */
  public Counters counters() throws IOException {
    SharedSortBuffers of = streams;
    return of == null ? new Counters() : of.counters();
  }

  /** An attempt begins, with what it may do. */
  public void began(TaskAttemptID attempt, TaskPermits.Slot slot) {
    slots.put(attempt, slot);
  }

  void toSort(TaskAttemptID attempt, Progressable progress) throws InterruptedException {
    slots.get(attempt).toSort(progress);
  }

  /** Something to be closed when an attempt has ended, unless it has closed it itself. */
  void opened(TaskAttemptID attempt, Closeable what) {
    open.put(attempt, what);
  }

  /** An attempt has ended; called by its own thread, which alone knows that. */
  public void ended(TaskAttemptID attempt) throws IOException {
    slots.remove(attempt);
    Closeable left = open.remove(attempt);
    try {
      if (left != null) {
        left.close();
      }
    } finally {
      if (closed) { // it was given up, and may have put out something since
        outputs.store().store().freeApplication(outputs.applicationId());
      }
    }
  }

  /** A map has ended, and reduces may read what this attempt has put out. */
  public void mapDone(TaskAttemptID map) {
    lock.lock();
    try {
      done.add(map);
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
      completed.signalAll();
    } finally {
      lock.unlock();
    }
  }

  /** Waits until so many maps have ended, or none will any more. */
  public void awaitMaps(int count) throws InterruptedException {
    lock.lock();
    try {
      while (done.size() < count && !complete && !ended) {
        changed.awaitNanos(LOOK_NS);
      }
    } finally {
      lock.unlock();
    }
  }

  /**
   * What a reduce may take in next.
   *
   * @param maps those that have ended since it has asked before
   * @param isAll whether there are no more
   */
  record Next(List<TaskAttemptID> maps, boolean isAll) {}

  /**
   * Waits a moment for maps to end, and no longer when all have. Each map that ends wakes nobody.
   *
   * <p>Where maps share sort buffers there is nothing to take in before all have ended, and what
   * they have put out may be thrown away. Where each has its own, what is in the list stays: it is
   * the only attempt at its task that has succeeded.
   *
   * @param taken how many maps the reduce has taken in
   * @return null if not all maps will ever end
   */
  Next follow(int taken) throws InterruptedException {
    lock.lock();
    try {
      for (long leftNs = LOOK_NS; leftNs > 0 && !complete && !ended; ) {
        leftNs = completed.awaitNanos(leftNs);
      }
      if (ended && !complete) {
        return null;
      }
      return new Next(
          streams == null ? List.copyOf(done.subList(taken, done.size())) : List.of(), complete);
    } finally {
      lock.unlock();
    }
  }

  /**
   * Ends it. What attempts that do not end still hold stays theirs until they do: their threads
   * write to it.
   */
  @Override
  public void close() throws IOException {
    ALL.remove(outputs.job(), this);
    end();
    closed = true;
    Closer.all(
        streams,
        outputs.sortMemory()::close,
        outputs.shares(),
        () -> outputs.store().store().freeApplication(outputs.applicationId()),
        outputs.key());
  }
}
