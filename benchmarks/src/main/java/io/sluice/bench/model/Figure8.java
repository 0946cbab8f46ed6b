package io.sluice.bench.model;

import io.sluice.bench.model.FittedModel.NetworkModel;
import io.sluice.bench.model.StageFit.StageModel;
import java.util.ArrayList;
import java.util.List;
import java.util.OptionalInt;

/**
 * Figure 8 of Chen and Rodero: the time of a stage over blocks of which a share is on remote
 * resources, by the bandwidth that there is, and how much of the bandwidth it uses.
 *
 * <p>A task over a remote block takes its own time and then that of the network, as the paper's
 * equations have it: they do not overlap. All P tasks that run at a time share the bandwidth.
 *
 * <p>Thread contract: immutable.
 *
 * @param stage with the cores of the cluster
 * @param tasks one for each block
 * @param alphaMs the latency of a message
 */
record Figure8(StageModel stage, int tasks, double alphaMs) {
  /** The paper's: 24 executors with 4 cores each (section III.A). */
  static final int CORES = 24 * 4;

  /** The paper's: serialized (section V). */
  static final double DATA_BYTES = 200e9;

  /** The paper's: of the whole bandwidth (section V). */
  static final int MOST_GBPS = 400;

  /** The block size of HDFS; the paper does not say another. */
  static final double BLOCK_BYTES = 128 << 20;

  /** The paper's: bytes of Java objects for each byte of them serialized, of LineCounter. */
  static final double EXPANSION = 2.09;

  /** From which bandwidth on the paper has deserialized blocks ahead, in Gb/s (section V). */
  static final int CROSSING_GBPS = 280;

  /** With as many blocks as the paper's data has. */
  static Figure8 of(double startMs, double cleanupMs, double alphaMs) {
    return new Figure8(
        new StageModel(startMs, cleanupMs, CORES),
        (int) Math.ceil(DATA_BYTES / BLOCK_BYTES),
        alphaMs);
  }

  /** How long the stage takes; remote blocks lie evenly among the others. */
  double timeMs(BlockFormat format, double remoteShare, double gbps) {
    double networkMs =
        NetworkModel.ofGbps(alphaMs, gbps).timeMs(format.blockBytes(), stage.cores());
    List<Double> tasksMs = new ArrayList<>(tasks);
    for (int task = 0; task < tasks; task++) {
      tasksMs.add(format.taskMs() + (isRemote(task, remoteShare) ? networkMs : 0));
    }
    return stage.timeMs(tasksMs);
  }

  private static boolean isRemote(int task, double remoteShare) {
    return Math.floor((task + 1) * remoteShare) > Math.floor(task * remoteShare);
  }

  /** The share of the bandwidth that is used, on average over the stage. */
  double utilization(BlockFormat format, double remoteShare, double gbps) {
    long remote = 0;
    for (int task = 0; task < tasks; task++) {
      remote += isRemote(task, remoteShare) ? 1 : 0;
    }
    double couldMoveBytes =
        NetworkModel.ofGbps(alphaMs, gbps).bytesPerMs() * timeMs(format, remoteShare, gbps);
    return remote * format.blockBytes() / couldMoveBytes;
  }

  /** The least bandwidth, in whole Gb/s, with which the one is not slower than the other. */
  OptionalInt crossingGbps(BlockFormat ram, BlockFormat nvme, double remoteShare) {
    for (int gbps = 1; gbps <= MOST_GBPS; gbps++) {
      if (timeMs(ram, remoteShare, gbps) <= timeMs(nvme, remoteShare, gbps)) {
        return OptionalInt.of(gbps);
      }
    }
    return OptionalInt.empty();
  }

  /**
   * How blocks are kept on remote resources.
   *
   * @param blockBytes that travel for each task
   * @param taskMs what a task takes beside that
   */
  record BlockFormat(double blockBytes, double taskMs) {}
}
