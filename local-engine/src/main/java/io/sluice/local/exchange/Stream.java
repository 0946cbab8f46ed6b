package io.sluice.local.exchange;

import io.sluice.mapreduce.map.MapPlan;
import io.sluice.mapreduce.map.RecordCollector;
import io.sluice.spill.cipher.ShuffleKey;
import io.sluice.spill.format.OutputId;
import io.sluice.spill.sort.ChunkSource;
import io.sluice.spill.store.Lease;
import java.io.Closeable;
import java.io.IOException;
import org.apache.hadoop.mapred.Counters;
import org.apache.hadoop.mapred.JobConf;

/**
 * A sort buffer that outlives the maps that fill it, and the runs that it was cut into.
 *
 * <p>Thread contract: safe from any thread. Ownership: whoever makes it closes it, which frees all
 * but a committed output. Failure: {@link IOException}; once it has failed it takes nothing more.
 */
final class Stream<K, V> implements Closeable {
  private final OutputId id;
  private final StreamTask task;
  private final Lease lease;
  private final RecordCollector<K, V> collector;

  /**
   * An empty one.
   *
   * @param job with the reduces and the sort buffer of this stream
   * @param key that its runs are encrypted with, or null
   */
  Stream(JobConf job, StreamTask task, OutputId id, JobExchange exchange, ShuffleKey key)
      throws IOException, ClassNotFoundException {
    this.id = id;
    this.task = task;
    MapPlan<K, V> plan =
        key == null
            ? MapPlan.of(job, task.id(), task.reporter())
            : MapPlan.encrypted(
                job, task.id(), task.reporter(), () -> key.newOutput(id, job.getNumReduceTasks()));
    lease = exchange.store().openLease(exchange.applicationId());
    try {
      collector = new RecordCollector<>(plan, exchange.store().target(lease), ChunkSource.NONE);
    } catch (RuntimeException | Error e) {
      lease.close();
      throw e;
    }
  }

  OutputId id() {
    return id;
  }

  int collect(K key, V value, int partition) throws IOException, InterruptedException {
    return collector.collect(key, value, partition);
  }

  /** Sorts what is left, and commits. */
  void flush() throws IOException, InterruptedException, ClassNotFoundException {
    collector.flush(id);
  }

  /** Of its spills and its combiner; records are counted where they come from. */
  Counters counters() throws IOException {
    return task.counters();
  }

  @Override
  public void close() throws IOException {
    try (lease) {
      collector.close();
    }
  }
}
