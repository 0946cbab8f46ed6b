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
 * The job's combiner, of the old or the new API, applied to sorted records. It serializes the
 * records that the combiner emits into the current run.
 *
 * <p>Thread contract: one thread; a combiner may call {@link #collect} from several threads, as
 * with stock's. Ownership: plain heap memory. Failure: the exceptions of the user's combiner and of
 * the serializers; {@link IOException} of the run, or for a key or value of another class than the
 * map's.
 */
final class Combining<K, V> implements OutputCollector<K, V> {
  private final CombinerRunner<K, V> runner;
  private final RecordSerializer<K, V> record;
  private final Counters.Counter outputRecords;
  private final Progressable progressable;
  private final long recordsPerProgress;
  private RunEncoder encoder; // guarded by this, like the next
  private long records;

  private Combining(CombinerRunner<K, V> runner, JobConf job, TaskReporter reporter)
      throws IOException {
    this.runner = runner;
    this.record = new RecordSerializer<>(job);
    this.outputRecords = reporter.getCounter(TaskCounter.COMBINE_OUTPUT_RECORDS);
    this.progressable = reporter;
    this.recordsPerProgress =
        Math.max(1, job.getLong(MRJobConfig.COMBINE_RECORDS_BEFORE_PROGRESS, 10_000));
  }

  /** The combiner of {@code job}, or null if it has none. */
  static <K, V> Combining<K, V> of(JobConf job, TaskAttemptID task, TaskReporter reporter)
      throws IOException, ClassNotFoundException {
    CombinerRunner<K, V> runner =
        CombinerRunner.create(
            job, task, reporter.getCounter(TaskCounter.COMBINE_INPUT_RECORDS), reporter, null);
    return runner == null ? null : new Combining<>(runner, job, reporter);
  }

  /** Runs the combiner over {@code sorted} and appends its output to {@code run}. */
  void combine(RawKeyValueIterator sorted, RunEncoder run)
      throws IOException, InterruptedException, ClassNotFoundException {
    begin(run);
    runner.combine(sorted, this);
  }

  private synchronized void begin(RunEncoder run) {
    encoder = run;
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
