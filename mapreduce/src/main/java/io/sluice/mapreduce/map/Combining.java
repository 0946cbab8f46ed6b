package io.sluice.mapreduce.map;

import java.io.IOException;
import org.apache.hadoop.mapred.Counters;
import org.apache.hadoop.mapred.JobConf;
import org.apache.hadoop.mapred.RawKeyValueIterator;
import org.apache.hadoop.mapred.Task.CombinerRunner;
import org.apache.hadoop.mapred.Task.TaskReporter;
import org.apache.hadoop.mapred.TaskAttemptID;
import org.apache.hadoop.mapreduce.TaskCounter;

/**
 * The job's combiner, of the old or the new API, applied to sorted records.
 *
 * <p>Thread contract: one thread. Ownership: plain heap memory. Failure: what the user's combiner
 * or its serializers throw.
 */
final class Combining<K, V> {
  private final CombinerRunner<K, V> runner;
  private final CombinerSink<K, V> sink;
  private final RecordTally input;
  private final Counters.Counter inputRecords;
  private final Counters.Counter outputRecords;

  private Combining(
      CombinerRunner<K, V> runner,
      CombinerSink<K, V> sink,
      RecordTally input,
      TaskReporter reporter) {
    this.runner = runner;
    this.sink = sink;
    this.input = input;
    inputRecords = reporter.getCounter(TaskCounter.COMBINE_INPUT_RECORDS);
    outputRecords = reporter.getCounter(TaskCounter.COMBINE_OUTPUT_RECORDS);
  }

  /** The combiner of {@code job}, or null if it has none. */
  static <K, V> Combining<K, V> of(JobConf job, TaskAttemptID task, TaskReporter reporter)
      throws IOException, ClassNotFoundException {
    RecordTally input = new RecordTally();
    CombinerRunner<K, V> runner = CombinerRunner.create(job, task, input, reporter, null);
    return runner == null
        ? null
        : new Combining<>(runner, new CombinerSink<>(job, reporter), input, reporter);
  }

  /** Appends what the combiner makes of {@code records}. */
  void combine(RawKeyValueIterator records, RecordSink out)
      throws IOException, InterruptedException, ClassNotFoundException {
    outputRecords.increment(run(records, out));
  }

  /**
   * The same before the records of a map are sorted: what the combiner makes of them will be
   * combined again, and does not count as its output.
   */
  void combineEarly(RawKeyValueIterator records, RecordSink out)
      throws IOException, InterruptedException, ClassNotFoundException {
    run(records, out);
  }

  /** So many records that it has made early were its input again, which does not count. */
  void combinedAgain(long records) {
    inputRecords.increment(-records);
  }

  private long run(RawKeyValueIterator records, RecordSink out)
      throws IOException, InterruptedException, ClassNotFoundException {
    sink.begin(out);
    runner.combine(records, sink);
    inputRecords.increment(input.take());
    return sink.end();
  }
}
