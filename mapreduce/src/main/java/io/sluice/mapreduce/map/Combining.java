package io.sluice.mapreduce.map;

import io.sluice.spill.record.RunEncoder;
import java.io.IOException;
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

  /** Appends what the combiner makes of {@code records}. */
  void combine(RawKeyValueIterator records, RunEncoder encoder)
      throws IOException, InterruptedException, ClassNotFoundException {
    sink.begin(encoder);
    runner.combine(records, sink);
  }
}
