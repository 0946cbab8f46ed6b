package io.sluice.bench.model;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.sluice.bench.model.ScaleTables.ShuffleScale;
import io.sluice.bench.model.ShuffleLimits.ShuffleLoad;
import org.junit.jupiter.api.Test;

class ShuffleScaleTest {
  private static final ShuffleLimits LIMITS =
      new ShuffleLimits(100, "c", 50, "e", 20, 1_000, "n", 10, "r", 2, maps -> 400);

  /** 45 outputs and 8 reduces on each node. */
  private static final ShuffleScale SCALE = new ShuffleScale(new ShuffleLoad(45, 8), LIMITS);

  @Test
  void everyReduceTalksToEveryNodeAndReadsFromAllOthers() {
    assertEquals(8, SCALE.controlConnections(1));
    assertEquals(0, SCALE.dataConnections(1));
    assertEquals(80_000, SCALE.controlConnections(10_000));
    assertEquals(79_992, SCALE.dataConnections(10_000));
    assertEquals(9_999, SCALE.executorConnections(10_000));
  }

  /**
   * 45 outputs are three questions: 3 + 6 messages of each reduce, and 2 of each from elsewhere.
   */
  @Test
  void messagesAreThoseOfTheProtocol() {
    assertEquals(8 * 9, SCALE.controlMessages(1));
    assertEquals(80 * 9 + 72 * 2, SCALE.controlMessages(10));
    assertEquals(10 * (80 * 9 + 72 * 2), SCALE.controlMessagesOfJob(10));
  }

  @Test
  void registeredMemoryDoesNotGrowWithTheNodes() {
    assertEquals(1_000, SCALE.registeredBytes(1));
    assertEquals(1_080, SCALE.registeredBytes(2));
    assertEquals(1_080, SCALE.registeredBytes(10_000));
    assertEquals(1_000 + 8 * 45 * 10_000 * 2, SCALE.bytesOfAWindowForEachRun(10_000));
  }

  /** 8 n up to 100: 12; n - 1 up to 50: 51; 45 n up to 400: 8. */
  @Test
  void aLimitIsMetByTheNodeAfterTheLastThatKeepsIt() {
    assertEquals(12, ShuffleScale.mostNodes(SCALE::controlConnections, n -> 100));
    assertEquals(51, ShuffleScale.mostNodes(SCALE::executorConnections, n -> 50));
    assertEquals(8, ShuffleScale.mostNodes(SCALE::runs, SCALE::windows));
    assertEquals(10_000, ShuffleScale.mostNodes(SCALE::registeredBytes, n -> 1_080));
    assertEquals(0, ShuffleScale.mostNodes(SCALE::controlConnections, n -> 7));
  }
}
