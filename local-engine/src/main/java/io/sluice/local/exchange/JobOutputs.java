package io.sluice.local.exchange;

import io.sluice.mapreduce.id.TaskNames;
import io.sluice.mapreduce.map.MapPlan;
import io.sluice.mapreduce.map.RecordCollector;
import io.sluice.mapreduce.memory.TaskMemory;
import io.sluice.mapreduce.merge.RunForm;
import io.sluice.mapreduce.reduce.MergeRun;
import io.sluice.memory.store.ProcessStore;
import io.sluice.spill.cipher.DecryptedRunInput;
import io.sluice.spill.cipher.ShuffleKey;
import io.sluice.spill.format.LocatedRun;
import io.sluice.spill.format.OutputId;
import io.sluice.spill.format.Run;
import io.sluice.spill.merge.MappedRunInput;
import io.sluice.spill.merge.RunInput;
import io.sluice.spill.merge.VerifiedRunInput;
import io.sluice.spill.segment.SegmentMapper;
import io.sluice.spill.sort.KeptChunks;
import io.sluice.spill.sort.SortChunks.ChunkSource;
import io.sluice.spill.store.CommittedOutput;
import io.sluice.spill.store.Lease;
import java.io.Closeable;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.apache.hadoop.io.compress.CompressionCodec;
import org.apache.hadoop.mapred.JobConf;
import org.apache.hadoop.mapred.JobID;
import org.apache.hadoop.mapred.Task.TaskReporter;
import org.apache.hadoop.mapred.TaskAttemptID;

/**
 * The map outputs of one job, in the store of its process.
 *
 * <p>Thread contract: safe from any thread. Failure: {@link IOException} of the store.
 *
 * @param maps number of maps
 * @param key for encryption, or null
 * @param sortMemory memory of the sort buffers
 * @param shares decides the memory of each task
 */
record JobOutputs(
    JobID job,
    ProcessStore store,
    int maps,
    ShuffleKey key,
    KeptChunks sortMemory,
    MemoryShares shares) {
  /** The name of a job in the store. */
  static String applicationId(JobID job) {
    return TaskNames.application(job);
  }

  String applicationId() {
    return applicationId(job);
  }

  OutputId id(TaskAttemptID map) {
    return id(TaskNames.attempt(map));
  }

  OutputId id(String name) {
    return new OutputId(applicationId(), name);
  }

  /** Opens the runs of one partition of an output. */
  List<MergeRun> runs(OutputId id, int partition, CompressionCodec codec) throws IOException {
    CommittedOutput output =
        store
            .store()
            .find(id)
            .orElseThrow(
                () -> new IOException("the output of " + id + " is no longer in the store"));
    List<MergeRun> runs = new ArrayList<>();
    for (LocatedRun run : output.runs(partition)) {
      runs.add(StoredRun.open(store.mapper(), id, run, partition, codec, key));
    }
    return runs;
  }

  /**
   * A run of a map in this process, read in place.
   *
   * <p>Thread contract and ownership: those of {@link MergeRun}.
   */
  private record StoredRun(String name, Run run, RunForm form, RunInput input) implements MergeRun {
    private static final int WINDOW_BYTES = 1 << 20;

    /**
     * Opens a run; it is mapped when it is read.
     *
     * @param codec of the job, or null
     * @param key for encryption, or null
     */
    static StoredRun open(
        SegmentMapper mapper,
        OutputId output,
        LocatedRun located,
        int partition,
        CompressionCodec codec,
        ShuffleKey key)
        throws IOException {
      Run run = located.run();
      String name = output.outputId() + " partition " + partition + " run " + run.ordinal();
      RunInput bytes =
          new MappedRunInput(
              mapper::map, located.location().ranges(), run.lengthBytes(), WINDOW_BYTES);
      RunInput verified = new VerifiedRunInput(name, bytes, run.lengthBytes(), run.checksums());
      RunInput plain =
          key == null
              ? verified
              : new DecryptedRunInput(
                  name, verified, run.lengthBytes(), key.reading(output), partition, run.ordinal());
      return new StoredRun(name, run, RunForm.of(codec, run.chunkBytes()), plain);
    }

    @Override
    public long lengthBytes() {
      return run.lengthBytes();
    }

    @Override
    public int chunkBytes() {
      return run.chunkBytes();
    }

    @Override
    public long rawLengthBytes() {
      return run.rawLengthBytes();
    }

    @Override
    public long meanRecordBytes() {
      return run.rawLengthBytes() / Math.max(1, run.records());
    }

    @Override
    public void suspend() {
      // Holds nothing before it is read.
    }

    @Override
    public void close() throws IOException {
      input.close();
    }
  }

  /**
   * A sort buffer and its output in the store.
   *
   * <p>Thread contract: safe from any thread. Ownership: the caller closes it, which frees all
   * except a committed output. Failure: {@link IOException}; after a failure it accepts no record.
   */
  static final class SortedOutput<K, V> implements Closeable {
    private final OutputId id;
    private final Lease lease;
    private final RecordCollector<K, V> collector;

    /**
     * Begins empty.
     *
     * @param job settings, with the number of reduces and the length of this buffer
     * @param task for the combiner
     * @param reporter has the counters
     */
    SortedOutput(
        JobConf job, TaskAttemptID task, TaskReporter reporter, OutputId id, JobOutputs outputs)
        throws IOException, ClassNotFoundException {
      this.id = id;
      ShuffleKey key = outputs.key();
      TaskMemory memory = outputs.shares().ofTask();
      MapPlan<K, V> plan =
          key == null
              ? MapPlan.of(job, task, reporter, memory)
              : MapPlan.encrypted(
                  job, task, reporter, memory, () -> key.newOutput(id, job.getNumReduceTasks()));
      lease = outputs.store().openLease(outputs.applicationId());
      try {
        collector =
            new RecordCollector<>(
                plan, outputs.store().target(lease), outputs.sortMemory(), ChunkSource.NONE);
      } catch (RuntimeException | Error e) {
        lease.close();
        throw e;
      }
    }

    OutputId id() {
      return id;
    }

    /** Adds a record and returns its length in bytes. */
    int collect(K key, V value, int partition) throws IOException, InterruptedException {
      return collector.collect(key, value, partition);
    }

    /** Sorts the remaining records and commits the output. */
    void flush() throws IOException, InterruptedException, ClassNotFoundException {
      collector.flush(id);
    }

    @Override
    public void close() throws IOException {
      try (lease) {
        collector.close();
      }
    }
  }

  /**
   * Divides the memory of this process equally among the running tasks of all its jobs. A task's
   * share is fixed when it begins.
   *
   * <p>Thread contract: safe from any thread. Ownership: a job's exchange closes it, which frees
   * the job's share.
   */
  static final class MemoryShares implements Closeable {
    private static final Set<MemoryShares> ALL = ConcurrentHashMap.newKeySet();

    private volatile int sorting;
    private volatile int merging;

    /** The shares of a job without tasks yet. */
    MemoryShares() {
      ALL.add(this);
    }

    /** Sets the number of the job's sort buffers and of its merging tasks at a time. */
    void set(int sorting, int merging) {
      this.sorting = sorting;
      this.merging = merging;
    }

    /** The job has no sort buffers any more. */
    void sorted() {
      sorting = 0;
    }

    /** The share of a task that begins now. */
    TaskMemory ofTask() {
      int allSorting = 0;
      int allMerging = 0;
      for (MemoryShares each : ALL) {
        allSorting += each.sorting;
        allMerging += each.merging;
      }
      return TaskMemory.shared(allSorting, allMerging);
    }

    @Override
    public void close() {
      ALL.remove(this);
    }
  }
}
