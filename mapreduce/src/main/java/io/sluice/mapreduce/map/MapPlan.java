package io.sluice.mapreduce.map;

import io.sluice.mapreduce.memory.TaskMemory;
import io.sluice.mapreduce.merge.MergeMemory;
import io.sluice.mapreduce.order.KeyOrders;
import io.sluice.spill.cipher.OutputKey;
import io.sluice.spill.format.FooterLayout;
import io.sluice.spill.format.OutputIndex;
import io.sluice.spill.sort.KeyOrder;
import java.io.IOException;
import java.util.function.Supplier;
import org.apache.hadoop.io.compress.CompressionCodec;
import org.apache.hadoop.io.compress.DefaultCodec;
import org.apache.hadoop.mapred.JobConf;
import org.apache.hadoop.mapred.Task.TaskReporter;
import org.apache.hadoop.mapred.TaskAttemptID;
import org.apache.hadoop.mapreduce.MRJobConfig;
import org.apache.hadoop.util.ReflectionUtils;

/**
 * The settings of one map task's collector, read from its job. It checks all that can be refused
 * before the task has a store.
 *
 * <p>It differs from {@link RecordCollector} in that it holds nothing that must be closed.
 *
 * <p>Thread contract: one thread, and one collector, which takes over the serializers and the
 * combiner. Failure: {@link #of} throws the exceptions of stock's collector for the same settings,
 * and refuses more reduces than the index of an output has room for.
 */
public final class MapPlan<K, V> {
  static final int CHUNK_BYTES = 1 << 20;

  /** A larger sort buffer costs the map more time than it saves the reducers. */
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

  /** Makes a key for each writer of the output; null without encryption. */
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
   * Reads the plan of a task from its job.
   *
   * @param memory the memory that the task may use
   */
  public static <K, V> MapPlan<K, V> of(
      JobConf job, TaskAttemptID task, TaskReporter reporter, TaskMemory memory)
      throws IOException, ClassNotFoundException {
    return new MapPlan<>(job, task, reporter, memory, null);
  }

  /**
   * The plan of a task whose output is encrypted.
   *
   * @param keys makes a key for each writer of the output
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
   * The most bytes that the sort buffer may borrow. With a combiner there is no limit, because it
   * combines better the more records it gets at once.
   */
  long mostBorrowedBytes() {
    return combining == null ? Math.max(0, BEST_SORT_BYTES - sortBytes) : Long.MAX_VALUE;
  }

  /** Length of the sort buffer: the job's setting, within the task's memory. */
  public long sortBytes() {
    return sortBytes;
  }

  /**
   * Decides when the runs of a map output are merged before they are served.
   *
   * @param minSpillsToCombine with a combiner: merge from this number of spills on
   * @param maxSpills without a combiner: merge above this number of spills
   * @param maxHeldRuns merge before a spill that would make more runs than this in all partitions.
   *     Their entries lie on the heap until the commit, at most about 20 MB
   * @param maxIndexBytes merge if the index of the output would be longer
   * @param memory decides how many runs are merged at once
   */
  record MergePolicy(
      int minSpillsToCombine,
      int maxSpills,
      int maxHeldRuns,
      long maxIndexBytes,
      MergeMemory memory) {
    private static final int MAX_HELD_RUNS = 1 << 19;

    /**
     * Reads the policy from the job.
     *
     * @param codec of the map outputs, or null
     * @param encrypted whether the outputs are encrypted
     * @param memory the memory that the task may use
     * @throws IOException if the job has more partitions than an output can have
     */
    static MergePolicy of(JobConf job, CompressionCodec codec, boolean encrypted, TaskMemory memory)
        throws IOException {
      int partitions = job.getNumReduceTasks();
      if (OutputIndex.maxRuns(partitions) < partitions) {
        throw new IOException(
            "the job has "
                + partitions
                + " reduces, more than the index of a map output has room for");
      }
      return new MergePolicy(
          job.getInt(MRJobConfig.MAP_COMBINE_MIN_SPILLS, 3),
          job.getInt(MRJobConfig.IO_SORT_FACTOR, MRJobConfig.DEFAULT_IO_SORT_FACTOR),
          Math.max(MAX_HELD_RUNS, 2 * partitions),
          FooterLayout.MAX_BYTES,
          new MergeMemory(codec, job, encrypted, memory));
    }
  }
}
