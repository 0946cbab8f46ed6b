package io.sluice.local.exchange;

import io.sluice.local.exchange.JobOutputs.SortedOutput;
import io.sluice.mapreduce.map.OutputMarker;
import java.io.Closeable;
import java.io.IOException;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import org.apache.hadoop.mapred.JobConf;
import org.apache.hadoop.mapred.MapOutputCollector;
import org.apache.hadoop.mapred.MapTask;
import org.apache.hadoop.mapred.Task.TaskReporter;
import org.apache.hadoop.mapred.TaskAttemptID;
import org.apache.hadoop.mapred.TaskStatus;
import org.apache.hadoop.mapreduce.TaskCounter;
import org.apache.hadoop.util.Progressable;

/**
 * Collects a map's records into the store of this process.
 *
 * <p>Thread contract: several threads may call {@link #collect}, as with stock's; the rest is for
 * the task's thread. Ownership: the map task closes it, also after a failure, which frees all
 * except a committed output. Failure: {@link IOException} fails the attempt.
 */
public final class LocalCollector<K, V> implements MapOutputCollector<K, V> {
  private MapTask task;
  private TaskReporter reporter;
  private JobExchange exchange;
  private Sorting<K, V> sorting;

  /** The sort buffer for this map's records. */
  private interface Sorting<K, V> extends Closeable {
    void collect(K key, V value, int partition) throws IOException, InterruptedException;

    void flush() throws IOException, InterruptedException, ClassNotFoundException;
  }

  /** Made by the map task. */
  public LocalCollector() {}

  @Override
  public void init(Context context) throws IOException, ClassNotFoundException {
    task = context.getMapTask();
    reporter = context.getReporter();
    exchange = JobExchange.of(task.getJobID());
    SharedSortBuffers streams = exchange.streams();
    sorting =
        streams == null
            ? new Own(context.getJobConf(), exchange.outputs())
            : new Shared(context.getJobConf(), streams);
    exchange.opened(task.getTaskID(), this::close);
  }

  /** A sort buffer and output of this map only. */
  private final class Own implements Sorting<K, V> {
    private final SortedOutput<K, V> output;

    Own(JobConf job, JobOutputs outputs) throws IOException, ClassNotFoundException {
      TaskAttemptID attempt = task.getTaskID();
      output = new SortedOutput<>(job, attempt, reporter, outputs.id(attempt), outputs);
    }

    @Override
    public void collect(K key, V value, int partition) throws IOException, InterruptedException {
      output.collect(key, value, partition);
    }

    @Override
    public void flush() throws IOException, InterruptedException, ClassNotFoundException {
      exchange.toSort(task.getTaskID(), reporter);
      output.flush();
    }

    @Override
    public void close() throws IOException {
      output.close();
    }
  }

  /** A sort buffer that other maps fill too. */
  private final class Shared implements Sorting<K, V> {
    private final SharedSortBuffers streams;
    private final SharedSortBuffers.Stream taken;
    private final AtomicInteger collecting = new AtomicInteger(); // threads
    private final Progressable waiting = this::progress;
    private final AtomicLong records = new AtomicLong();
    private final AtomicLong bytes = new AtomicLong();

    Shared(JobConf job, SharedSortBuffers streams) throws IOException, ClassNotFoundException {
      this.streams = streams;
      this.taken = streams.take(job.getClassLoader(), waiting);
    }

    @Override
    public void collect(K key, V value, int partition) throws IOException, InterruptedException {
      collecting.incrementAndGet();
      try {
        bytes.addAndGet(streams.collect(taken, key, value, partition));
      } finally {
        collecting.decrementAndGet();
      }
      records.incrementAndGet();
    }

    /**
     * Reports progress only while this map adds a record, so that a map that hangs in its own code
     * times out.
     */
    private void progress() {
      if (collecting.get() > 0) {
        reporter.progress();
      }
    }

    @Override
    public void flush() {
      reporter.getCounter(TaskCounter.MAP_OUTPUT_RECORDS).increment(records.get());
      reporter.getCounter(TaskCounter.MAP_OUTPUT_BYTES).increment(bytes.get());
    }

    @Override
    public void close() throws IOException {
      streams.giveBack(taken, waiting);
    }
  }

  @Override
  public void collect(K key, V value, int partition) throws IOException, InterruptedException {
    sorting.collect(key, value, partition);
  }

  @Override
  public void flush() throws IOException, InterruptedException, ClassNotFoundException {
    if (task.getPhase() == TaskStatus.Phase.MAP) {
      // Hadoop also flushes after a failed map, and would log an exception with its trace.
      // A map without an output cannot succeed, because a reduce misses it.
      return;
    }
    sorting.flush();
    OutputMarker.leave(task.getMapOutputFile());
    task.getSortPhase().complete();
  }

  @Override
  public void close() throws IOException {
    Sorting<K, V> closing = sorting;
    sorting = null;
    if (closing != null) {
      closing.close();
    }
  }
}
