package io.sluice.mapreduce.map;

import io.sluice.mapreduce.memory.TaskMemory;
import io.sluice.mapreduce.order.KeyOrders;
import io.sluice.spill.cipher.OutputKey;
import io.sluice.spill.sort.KeyOrder;
import java.io.IOException;
import java.util.function.Supplier;
import org.apache.hadoop.io.compress.CompressionCodec;
import org.apache.hadoop.io.compress.DefaultCodec;
import org.apache.hadoop.mapred.JobConf;
import org.apache.hadoop.mapred.Task.TaskReporter;
import org.apache.hadoop.mapred.TaskAttemptID;
import org.apache.hadoop.util.ReflectionUtils;

/**
 * How one map task collects, as far as its job alone says: everything that can be refused before
 * there is a place to write to.
 *
 * <p>It differs from {@link RecordCollector} in holding nothing that must be closed.
 *
 * <p>Thread contract: one thread; for one collector, because serializers and the combiner are the
 * collector's from then on. Failure: {@link #of} throws what stock's collector throws for the same
 * settings, and refuses more reduces than an output's index has room for.
 */
public final class MapPlan<K, V> {
  static final int CHUNK_BYTES = 1 << 20;

  /** A larger sort costs a map more than the merge of its runs costs the reducers. */
  private static final long BEST_SORT_BYTES = 100L << 20;

  final TaskReporter reporter;
  final StockLimits limits;
  final long sortBytes;
  final int partitions;
  final RecordSerializer<K, V> record;
  final KeyOrder order;

  /** Of map outputs, or null. */
  final CompressionCodec codec;

  final MergePolicy policy;

  /** Null for a job without a combiner. */
  final Combining<K, V> combining;

  /** A key for each writer of the output; null if it is not encrypted. */
  final Supplier<OutputKey> keys;

  private MapPlan(
      JobConf job,
      TaskAttemptID task,
      TaskReporter reporter,
      TaskMemory memory,
      Supplier<OutputKey> keys)
      throws IOException, ClassNotFoundException {
    this.reporter = reporter;
    limits = new StockLimits(job);
    sortBytes =
        Math.min(memory.sortBytes(), Math.max(limits.sortBytes(), TaskMemory.MIN_SORT_BYTES));
    partitions = job.getNumReduceTasks();
    record = new RecordSerializer<>(job);
    order = KeyOrders.of(job);
    codec = codecOf(job);
    this.keys = keys;
    policy = MergePolicy.of(job, codec, keys != null, memory);
    combining = Combining.of(job, task, reporter);
  }

  /**
   * What {@code job} says of its task, whose counters and progress {@code reporter} keeps.
   *
   * @param memory what the task may take
   */
  public static <K, V> MapPlan<K, V> of(
      JobConf job, TaskAttemptID task, TaskReporter reporter, TaskMemory memory)
      throws IOException, ClassNotFoundException {
    return new MapPlan<>(job, task, reporter, memory, null);
  }

  /**
   * The same for an output that is encrypted.
   *
   * @param keys makes keys of the output that the collector will commit, one for each writer
   */
  public static <K, V> MapPlan<K, V> encrypted(
      JobConf job,
      TaskAttemptID task,
      TaskReporter reporter,
      TaskMemory memory,
      Supplier<OutputKey> keys)
      throws IOException, ClassNotFoundException {
    return new MapPlan<>(job, task, reporter, memory, keys);
  }

  /** The codec of a job's map outputs; null if they are not compressed. */
  public static CompressionCodec codecOf(JobConf job) {
    return job.getCompressMapOutput()
        ? ReflectionUtils.newInstance(job.getMapOutputCompressorClass(DefaultCodec.class), job)
        : null;
  }

  /**
   * How much more memory the sort buffer has a use for: a combiner's output is the smaller the more
   * records it sees at once.
   */
  long mostBorrowedBytes() {
    return combining == null ? Math.max(0, BEST_SORT_BYTES - sortBytes) : Long.MAX_VALUE;
  }

  /** Length of the sort buffer, as the job wants it or as the task may have it. */
  public long sortBytes() {
    return sortBytes;
  }
}
