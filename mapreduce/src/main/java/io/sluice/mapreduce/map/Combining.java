package io.sluice.mapreduce.map;

import io.sluice.spill.format.RunEncoder;
import java.io.IOException;
import org.apache.hadoop.mapred.Counters;
import org.apache.hadoop.mapred.JobConf;
import org.apache.hadoop.mapred.OutputCollector;
import org.apache.hadoop.mapred.RawKeyValueIterator;
import org.apache.hadoop.mapred.Task.CombinerRunner;
import org.apache.hadoop.mapred.Task.TaskReporter;
import org.apache.hadoop.mapred.TaskAttemptID;
import org.apache.hadoop.mapreduce.MRJobConfig;
import org.apache.hadoop.mapreduce.TaskCounter;
import org.apache.hadoop.util.Progressable;

/**
 * The job's combiner, of the old or the new API, applied to sorted records.
 *
 * <p>Thread contract: one thread. Ownership: plain heap memory. Failure: the exceptions of the
 * user's combiner and of the serializers.
 */
final class Combining<K, V> {
  private final CombinerRunner<K, V> runner;
  private final CombinerSink<K, V> sink;

  private Combining(CombinerRunner<K, V> runner, CombinerSink<K, V> sink) {
    this.runner = runner;
    this.sink = sink;
  }

  /** The combiner of {@code job}, or null if it has none. */
  static <K, V> Combining<K, V> of(JobConf job, TaskAttemptID task, TaskReporter reporter)
      throws IOException, ClassNotFoundException {
    CombinerRunner<K, V> runner =
        CombinerRunner.create(
            job, task, reporter.getCounter(TaskCounter.COMBINE_INPUT_RECORDS), reporter, null);
    return runner == null
        ? null
        : new Combining<>(
            runner,
            new CombinerSink<>(
                job, reporter.getCounter(TaskCounter.COMBINE_OUTPUT_RECORDS), reporter));
  }

  /** Runs the combiner over {@code records} and appends its output. */
  void combine(RawKeyValueIterator records, RunEncoder encoder)
      throws IOException, InterruptedException, ClassNotFoundException {
    sink.begin(encoder);
    runner.combine(records, sink);
  }

  /**
   * Serializes the records that a combiner emits into the current run.
   *
   * <p>Thread contract: a combiner may call {@link #collect} from several threads, as with stock's.
   * Ownership: plain heap memory. Failure: {@link IOException} of the serializer or the run, or for
   * a key or value of another class than the map's.
   */
  private static final class CombinerSink<K, V> implements OutputCollector<K, V> {
    private final RecordSerializer<K, V> record;
    private final Counters.Counter outputRecords;
    private final Progressable progressable;
    private final long recordsPerProgress;
    private RunEncoder encoder;
    private long records;

    CombinerSink(JobConf job, Counters.Counter outputRecords, Progressable progressable)
        throws IOException {
      record = new RecordSerializer<>(job);
      this.outputRecords = outputRecords;
      this.progressable = progressable;
      this.recordsPerProgress =
          Math.max(1, job.getLong(MRJobConfig.COMBINE_RECORDS_BEFORE_PROGRESS, 10_000));
    }

    /** Sends the next records to {@code encoder}. */
    synchronized void begin(RunEncoder encoder) {
      this.encoder = encoder;
      record.shrink();
    }

    @Override
    public synchronized void collect(K key, V value) throws IOException {
      outputRecords.increment(1);
      // Checked in the order and worded as in stock's CombineOutputCollector and IFile.Writer.
      requireClass("key", record.keyClass(), key);
      requireClass("value", record.valueClass(), value);
      record.serialize(key, value);
      byte[] bytes = record.bytes();
      int keyLength = record.keyLength();
      encoder.append(bytes, 0, keyLength, bytes, keyLength, record.valueLength());
      if (++records % recordsPerProgress == 0) {
        progressable.progress();
      }
    }

    private static void requireClass(String what, Class<?> expected, Object actual)
        throws IOException {
      if (actual.getClass() != expected) {
        throw new IOException(
            "wrong " + what + " class: " + actual.getClass() + " is not " + expected);
      }
    }
  }
}
