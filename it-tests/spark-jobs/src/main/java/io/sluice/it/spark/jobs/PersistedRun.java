package io.sluice.it.spark.jobs;

import io.sluice.it.spark.jobs.PersistArguments.PersistBenchmark;
import java.util.List;
import java.util.SortedMap;

/**
 * The output of {@link PersistBenchmarkJob}, as one line of JSON.
 *
 * @param benchmark what was run
 * @param level how the lines were persisted
 * @param textBytes of the lines
 * @param blocks partitions of the lines
 * @param keptBlocks how many of them Spark's storage page counts
 * @param memoryBytes of the blocks, as on that page
 * @param diskBytes of the blocks, as on that page: in files or in Sluice's pool
 * @param stores the executors' disk stores in their own words, while the lines are kept
 * @param digest of the result, the same in all runs
 * @param load the executor that computed and kept each block, by partition
 * @param runs the stages of each run over the kept blocks
 */
public record PersistedRun(
    PersistBenchmark benchmark,
    String level,
    long textBytes,
    int blocks,
    int keptBlocks,
    long memoryBytes,
    long diskBytes,
    SortedMap<String, String> stores,
    String digest,
    List<String> load,
    List<List<StageRun>> runs) {

  /**
   * One task as the driver saw it.
   *
   * @param partition which of its stage
   * @param executor that ran it
   * @param startMs its launch, from the submission of its stage
   * @param timeMs from its launch to its end
   */
  public record RanTask(int partition, String executor, long startMs, long timeMs) {}

  /**
   * One stage as the driver saw it.
   *
   * @param wallMs from its submission to its completion
   * @param tasks by their partitions
   */
  public record StageRun(long wallMs, List<RanTask> tasks) {}
}
