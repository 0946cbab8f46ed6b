package io.sluice.local.exchange;

import io.sluice.mapreduce.map.MapPlan;
import io.sluice.mapreduce.map.RecordCollector;
import io.sluice.mapreduce.memory.TaskMemory;
import io.sluice.spill.cipher.ShuffleKey;
import io.sluice.spill.format.OutputId;
import io.sluice.spill.sort.SortChunks.ChunkSource;
import io.sluice.spill.store.Lease;
import java.io.Closeable;
import java.io.IOException;
import org.apache.hadoop.mapred.JobConf;
import org.apache.hadoop.mapred.Task.TaskReporter;
import org.apache.hadoop.mapred.TaskAttemptID;

/**
 * A sort buffer and its output in the store.
 *
 * <p>Thread contract: safe from any thread. Ownership: the caller closes it, which frees all except
 * a committed output. Failure: {@link IOException}; after a failure it accepts no record.
 */
final class SortedOutput<K, V> implements Closeable {
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
