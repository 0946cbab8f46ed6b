package io.sluice.local.exchange;

import io.sluice.mapreduce.map.MapPlan;
import io.sluice.mapreduce.map.OutputMarker;
import io.sluice.mapreduce.map.RecordCollector;
import io.sluice.spill.cipher.ShuffleKey;
import io.sluice.spill.format.OutputId;
import io.sluice.spill.sort.ChunkSource;
import io.sluice.spill.store.Lease;
import java.io.IOException;
import org.apache.hadoop.mapred.JobConf;
import org.apache.hadoop.mapred.MapOutputCollector;
import org.apache.hadoop.mapred.MapTask;
import org.apache.hadoop.mapred.TaskAttemptID;

/**
 * Collects a map's records into the store of its own process.
 *
 * <p>Thread contract: {@link #collect} may be called by several threads, as stock's may; the rest
 * is the task's thread's. Ownership: the map task closes it, in failure too, and that frees all but
 * a committed output. Failure: {@link IOException} fails the attempt.
 */
public final class LocalCollector<K, V> implements MapOutputCollector<K, V> {
  private MapTask task;
  private OutputId outputId;
  private Lease lease;
  private RecordCollector<K, V> collector;

  /** Made by the map task. */
  public LocalCollector() {}

  @Override
  public void init(Context context) throws IOException, ClassNotFoundException {
    task = context.getMapTask();
    JobConf job = context.getJobConf();
    TaskAttemptID attempt = task.getTaskID();
    JobExchange exchange = JobExchange.of(task.getJobID());
    outputId = exchange.outputId(attempt);
    ShuffleKey key = exchange.key();
    MapPlan<K, V> plan =
        key == null
            ? MapPlan.of(job, attempt, context.getReporter())
            : MapPlan.encrypted(
                job,
                attempt,
                context.getReporter(),
                () -> key.newOutput(outputId, job.getNumReduceTasks()));
    lease = exchange.store().openLease(exchange.applicationId());
    exchange.opened(attempt, this::close);
    collector = new RecordCollector<>(plan, exchange.store().target(lease), ChunkSource.NONE);
  }

  @Override
  public void collect(K key, V value, int partition) throws IOException, InterruptedException {
    collector.collect(key, value, partition);
  }

  @Override
  public void flush() throws IOException, InterruptedException, ClassNotFoundException {
    collector.flush(outputId);
    OutputMarker.leave(task.getMapOutputFile());
    task.getSortPhase().complete();
  }

  @Override
  public void close() throws IOException {
    Lease closingLease = lease;
    RecordCollector<K, V> closing = collector;
    lease = null;
    collector = null;
    try (closingLease) {
      if (closing != null) {
        closing.close();
      }
    }
  }
}
