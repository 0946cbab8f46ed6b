package io.sluice.mapreduce.map;

import io.sluice.mapreduce.memory.TaskMemory;
import io.sluice.mapreduce.merge.MergeMemory;
import io.sluice.spill.format.FooterLayout;
import io.sluice.spill.format.OutputIndex;
import java.io.IOException;
import org.apache.hadoop.io.compress.CompressionCodec;
import org.apache.hadoop.mapred.JobConf;
import org.apache.hadoop.mapreduce.MRJobConfig;

/**
 * When the runs of a map output are merged before they are served.
 *
 * @param minSpillsToCombine with a combiner, from so many spills on
 * @param maxSpills without one, when there are more than so many
 * @param maxHeldRuns before a spill that would make more than so many, over all partitions: what is
 *     known of them lies on the heap until the commit, some 20 MB of as many as there may be
 * @param maxIndexBytes when the index of the output would be longer
 * @param memory how many may be merged at once
 */
record MergePolicy(
    int minSpillsToCombine,
    int maxSpills,
    int maxHeldRuns,
    long maxIndexBytes,
    MergeMemory memory) {
  private static final int MAX_HELD_RUNS = 1 << 19;

  /**
   * By the job's settings for merging.
   *
   * @param codec of its map outputs, or null
   * @param encrypted whether they are
   * @param memory what the task may take
   * @throws IOException if it has more partitions than an output can have
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
