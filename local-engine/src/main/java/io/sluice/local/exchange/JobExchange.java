package io.sluice.local.exchange;

import io.sluice.local.conf.LocalSettings;
import io.sluice.local.conf.LocalSettings.Isolation;
import io.sluice.local.exchange.JobOutputs.MemoryShares;
import io.sluice.mapreduce.memory.TaskMemory;
import io.sluice.memory.store.ProcessStore;
import io.sluice.rdma.memory.Closer;
import io.sluice.spill.cipher.ShuffleKey;
import io.sluice.spill.sort.KeptChunks;
import java.io.Closeable;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
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
import org.apache.hadoop.mapreduce.MRJobConfig;
import org.apache.hadoop.util.Progressable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Passes the map outputs of one job to its reduces, inside one process. Hadoop makes a task's
 * collector and shuffle by class name, so they look up the exchange by their job.
 *
 * <p>Thread contract: safe from any thread. Ownership: the job closes it after all tasks have ended
 * or were abandoned, which frees the map outputs. Failure: {@link IOException} of the store.
 */
public final class JobExchange implements Closeable {
  private static final long POLL_NS = TimeUnit.MILLISECONDS.toNanos(200);
  private static final Map<JobID, JobExchange> ALL = new ConcurrentHashMap<>();

  private final JobOutputs outputs;
  private final ReentrantLock lock = new ReentrantLock();
  private final Condition changed = lock.newCondition(); // signalled by each map that ends
  private final Condition completed = lock.newCondition();
  private final List<TaskAttemptID> done = new ArrayList<>(); // in the order in which they ended
  private final Map<TaskAttemptID, Closeable> open = new ConcurrentHashMap<>();
  private final Map<TaskAttemptID, TaskPermits.Slot> slots = new ConcurrentHashMap<>();
  private volatile SharedSortBuffers streams; // null if each map has its own sort buffer
  private boolean complete;
  private boolean ended;
  private volatile boolean closed;

  private JobExchange(JobOutputs outputs) {
    this.outputs = outputs;
  }

  /**
   * Registers the exchange of a job.
   *
   * @param key for the encryption of outputs, or null; closed with this
   */
  public static JobExchange begin(JobID job, ProcessStore store, int maps, ShuffleKey key) {
    JobExchange exchange =
        new JobExchange(
            new JobOutputs(job, store, maps, key, new KeptChunks(), new MemoryShares()));
    if (ALL.putIfAbsent(job, exchange) != null) {
      exchange.outputs.sortMemory().close();
      exchange.outputs.shares().close();
      throw new IllegalStateException(job + " is running already");
    }
    return exchange;
  }

  static JobExchange of(JobID job) throws IOException {
    JobExchange found = ALL.get(job);
    if (found == null) {
      throw new IOException(job + " is not running in this process");
    }
    return found;
  }

  /** The name of a job in the store. */
  public static String applicationId(JobID job) {
    return JobOutputs.applicationId(job);
  }

  JobOutputs outputs() {
    return outputs;
  }

  /** The sort buffers that maps share, or null. */
  SharedSortBuffers streams() {
    return streams;
  }

  /**
   * Begins the maps.
   *
   * @param tasks limits the number of tasks at a time
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

  /** Whether the records of a failed map can be separated from those of other maps. */
  public boolean isWithdrawable() {
    return streams == null;
  }

  /** Drops the outputs of all maps so far. */
  public void forgetMaps() throws IOException {
    lock.lock();
    try {
      done.clear(); // no reduce has read any: see follow
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

  /** Sorts to do after all maps and before the reduces, each on any thread. */
  public List<Callable<Void>> lastSorts() {
    SharedSortBuffers of = streams;
    return of == null ? List.of() : of.lastSorts();
  }

  /** All maps have ended, and shared buffers are sorted. */
  public void mapsDone() {
    outputs.sortMemory().close(); // frees it for reduces and files
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

  /** Counters of shared sort buffers, which belong to no single map. */
  public Counters counters() throws IOException {
    SharedSortBuffers of = streams;
    return of == null ? new Counters() : of.counters();
  }

  /** An attempt begins, with its permit. */
  public void began(TaskAttemptID attempt, TaskPermits.Slot slot) {
    slots.put(attempt, slot);
  }

  void toSort(TaskAttemptID attempt, Progressable progress) throws InterruptedException {
    slots.get(attempt).toSort(progress);
  }

  /** Registers a resource to close when the attempt has ended. */
  void opened(TaskAttemptID attempt, Closeable what) {
    open.put(attempt, what);
  }

  /** An attempt has ended; called by its own thread. */
  public void ended(TaskAttemptID attempt) throws IOException {
    slots.remove(attempt);
    Closeable left = open.remove(attempt);
    try {
      if (left != null) {
        left.close();
      }
    } finally {
      if (closed) { // it was abandoned, and may have written since
        outputs.store().store().freeApplication(outputs.applicationId());
      }
    }
  }

  /** A map has ended, and reduces may read this attempt's output. */
  public void mapDone(TaskAttemptID map) {
    lock.lock();
    try {
      done.add(map);
      changed.signalAll();
    } finally {
      lock.unlock();
    }
  }

  /** No further map will end; wakes all waiting threads. */
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

  /** Waits until {@code count} maps have ended, or no further map will end. */
  public void awaitMaps(int count) throws InterruptedException {
    lock.lock();
    try {
      while (done.size() < count && !complete && !ended) {
        changed.awaitNanos(POLL_NS);
      }
    } finally {
      lock.unlock();
    }
  }

  /**
   * The outputs that a reduce may read next.
   *
   * @param maps that have ended since the last call
   * @param isAll whether no further map will follow
   */
  record Next(List<TaskAttemptID> maps, boolean isAll) {}

  /**
   * Waits a moment, or until all maps have ended. A single map's end wakes no reduce.
   *
   * <p>If maps share sort buffers, nothing can be read before all have ended, because the buffers
   * may be dropped. If each map has its own buffer its output stays: it is the only successful
   * attempt of its task.
   *
   * @param taken number of maps that the reduce has read
   * @return null if not all maps will end
   */
  Next follow(int taken) throws InterruptedException {
    lock.lock();
    try {
      for (long leftNs = POLL_NS; leftNs > 0 && !complete && !ended; ) {
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
   * Ends the exchange. Attempts that do not end keep their leases until they end, because their
   * threads still write.
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

  /**
   * The exchange of records between maps and reduces (Hone, section 4.1). Hone's streams are lists
   * of objects. Here they are sort buffers that are written as sorted runs, so the modes differ in
   * the number of runs.
   */
  public enum ExchangeMode {
    /** Each map sorts its own output; a reduce reads a run of each map. */
    PULL,
    /** All maps fill one sort buffer for each reduce. */
    PUSH,
    /** Each running map fills a sort buffer for all reduces; the next map continues it. */
    HYBRID;

    private static final Logger LOG = LoggerFactory.getLogger(ExchangeMode.class);

    /** From so many maps for each map thread on, several maps fill one buffer. */
    private static final int MANY_MAPS = 8;

    private static final int MOST_PUSHED_REDUCES = 256;
    private static final long MANY_RUNS = 2_000;
    private static final long SMALL_RUN_BYTES = 64 << 10;

    /**
     * The mode of a job.
     *
     * @param inputBytes of all maps, to estimate the size of their outputs
     */
    public static ExchangeMode of(JobConf job, int maps, int mapThreads, long inputBytes) {
      String configured = LocalSettings.EXCHANGE.get(job::getTrimmed);
      Isolation isolation = Isolation.of(job);
      if (isolation == Isolation.TASK) {
        return PULL; // maps that share a sort buffer must share the classes of its records
      }
      if (job.getInt(MRJobConfig.SPILL_FILES_COUNT_LIMIT, -1) >= 0) {
        return PULL; // the limit counts each map's spills, and a shared buffer spills for all
      }
      if (configured.equals("push") && isolation != Isolation.NONE) {
        LOG.warn(
            "sluice.local.exchange=push needs sluice.local.isolation=none, because maps that"
                + " push share their classes; using hybrid");
        return HYBRID;
      }
      int mostPushed = Math.min(MOST_PUSHED_REDUCES, TaskMemory.mostSorting());
      if (configured.equals("push") && job.getNumReduceTasks() > mostPushed) {
        LOG.warn(
            "sluice.local.exchange=push needs a sort buffer for each of {} reduces, for which"
                + " there is not enough memory; using hybrid",
            job.getNumReduceTasks());
        return HYBRID;
      }
      if (!configured.equals("auto")) {
        return valueOf(configured.toUpperCase(Locale.ROOT));
      }
      long runs = (long) maps * job.getNumReduceTasks();
      boolean manyMaps = maps >= (long) MANY_MAPS * mapThreads;
      return manyMaps && (runs > MANY_RUNS || inputBytes / Math.max(1, runs) < SMALL_RUN_BYTES)
          ? HYBRID
          : PULL;
    }
  }
}
