package io.sluice.bench.model;

/**
 * What Chen and Rodero measured of LineCounter, as they have published it: {@code
 * figures/linecounter_Spark_RDD_Persistence_*.txt} of github.com/HelloHorizon/SBAC-PAD-18, which
 * are decimal logarithms. That tasks are in ms and stages in s follows from section IV.A: some 20
 * ms for a task over deserialized blocks.
 */
final class PublishedTimes {
  /** Of memory with deserialized objects, 100 GB: the most that had room. */
  private static final double RAM_TASK_LOG_MS = 1.22;

  private static final double RAM_STAGE_LOG_S = 0.75;
  private static final double RAM_DATA_BYTES = 100e9;

  /** Of NVMe, 200 GB. */
  private static final double NVME_TASK_LOG_MS = 2.91;

  private static final double NVME_STAGE_LOG_S = 1.57;

  private PublishedTimes() {}

  /** Time_Task as it was measured. */
  static double ramTaskMs() {
    return Math.pow(10, RAM_TASK_LOG_MS);
  }

  /** Time_Task as it was measured. */
  static double nvmeTaskMs() {
    return Math.pow(10, NVME_TASK_LOG_MS);
  }

  /** Time_Task that makes the stage as long as it was, if the cores always have one. */
  static double ramTaskMsOfStage() {
    return taskMs(RAM_STAGE_LOG_S, RAM_DATA_BYTES);
  }

  /** Time_Task that makes the stage as long as it was, if the cores always have one. */
  static double nvmeTaskMsOfStage() {
    return taskMs(NVME_STAGE_LOG_S, Figure8.DATA_BYTES);
  }

  private static double taskMs(double stageLogS, double dataBytes) {
    double stageMs = 1e3 * Math.pow(10, stageLogS);
    return stageMs * Figure8.CORES / (dataBytes / Figure8.BLOCK_BYTES);
  }
}
