package io.sluice.bench.model;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.sluice.bench.model.Figure8Tables.Figure8;
import io.sluice.bench.model.Figure8Tables.Figure8.BlockFormat;
import io.sluice.bench.model.Figure8Tables.PublishedTimes;
import io.sluice.bench.model.StageFit.StageModel;
import java.util.OptionalInt;
import org.junit.jupiter.api.Test;

class Figure8Test {
  /** Ten rounds of two tasks on two cores. */
  private static final Figure8 SMALL = new Figure8(new StageModel(5, 1, 2), 20, 2);

  /** At 8 Gb/s, 1 MB/ms, two such blocks take 20 ms. */
  private static final BlockFormat SERIALIZED = new BlockFormat(10e6, 100);

  private static final BlockFormat DESERIALIZED = new BlockFormat(20e6, 10);

  @Test
  void aRemoteBlockIsWaitedForAndThenComputed() {
    assertEquals(5 + 10 * (100 + 2 + 20) + 1, SMALL.timeMs(SERIALIZED, 1, 8), 1e-9);
    assertEquals(5 + 10 * 100 + 1, SMALL.timeMs(SERIALIZED, 0, 8), 1e-9);
  }

  /** Every other task is remote: one core of each round, and the cores take turns. */
  @Test
  void halfOfTheBlocksRemoteIsHalfOfTheTrafficAndLessThanAllOfTheTime() {
    double halfMs = SMALL.timeMs(SERIALIZED, 0.5, 8);
    assertTrue(halfMs > 5 + 10 * 100 + 1 && halfMs <= 5 + 10 * 122 + 1, halfMs + " ms");
    assertEquals(10 * 10e6 / (1e6 * halfMs), SMALL.utilization(SERIALIZED, 0.5, 8), 1e-9);
  }

  /** 200 MB at 1 MB/ms in 1226 ms. */
  @Test
  void utilizationIsWhatTravelsOfWhatCould() {
    assertEquals(200.0 / 1226, SMALL.utilization(SERIALIZED, 1, 8), 1e-9);
  }

  /** 90 ms of compute buy 20 MB more for two tasks: 20e6 * 8 b / 90 ms = 1.78 Gb/s. */
  @Test
  void curvesCrossWhereBytesCostWhatSerializingCosts() {
    assertEquals(OptionalInt.of(2), SMALL.crossingGbps(DESERIALIZED, SERIALIZED, 1));
  }

  @Test
  void whereSerializingIsForNothingTheyDoNotCross() {
    BlockFormat asSlow = new BlockFormat(20e6, 100);
    assertEquals(OptionalInt.empty(), SMALL.crossingGbps(asSlow, SERIALIZED, 1));
  }

  /** Computed from the published times by hand: 109 % of 200 GB, 1744 Gb, in 13.0 and 26.0 s. */
  @Test
  void thePapersDataDoesNotCrossAtThePapers280() {
    Figure8 figure = Figure8.of(0, 0, 0);
    BlockFormat nvme = new BlockFormat(Figure8.BLOCK_BYTES, PublishedTimes.nvmeTaskMs());
    BlockFormat ram =
        new BlockFormat(Figure8.EXPANSION * Figure8.BLOCK_BYTES, PublishedTimes.ramTaskMs());
    int byTasks = figure.crossingGbps(ram, nvme, 1).orElseThrow();
    assertTrue(byTasks >= 130 && byTasks <= 145, byTasks + " Gb/s");
    BlockFormat nvmeOfStage =
        new BlockFormat(Figure8.BLOCK_BYTES, PublishedTimes.nvmeTaskMsOfStage());
    BlockFormat ramOfStage =
        new BlockFormat(Figure8.EXPANSION * Figure8.BLOCK_BYTES, PublishedTimes.ramTaskMsOfStage());
    int byStages = figure.crossingGbps(ramOfStage, nvmeOfStage, 1).orElseThrow();
    assertTrue(byStages >= 64 && byStages <= 70, byStages + " Gb/s");
  }

  @Test
  void theShapeIsThePapers() {
    Figure8 figure = Figure8.of(0, 0, 0);
    BlockFormat ram =
        new BlockFormat(Figure8.EXPANSION * Figure8.BLOCK_BYTES, PublishedTimes.ramTaskMs());
    assertTrue(figure.timeMs(ram, 1, 40) > figure.timeMs(ram, 1, 400), "more bandwidth, less time");
    assertTrue(
        figure.timeMs(ram, 1, 200) > figure.timeMs(ram, 0.2, 200), "more is remote, more time");
    BlockFormat nvme = new BlockFormat(Figure8.BLOCK_BYTES, PublishedTimes.nvmeTaskMs());
    assertTrue(
        figure.utilization(ram, 1, 400) > figure.utilization(nvme, 1, 400),
        "deserialized blocks use more of the network");
    assertTrue(figure.utilization(ram, 1, 400) < 1, "not all of it");
  }
}
