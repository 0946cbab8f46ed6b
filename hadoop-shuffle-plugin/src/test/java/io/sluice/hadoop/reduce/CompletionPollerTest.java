package io.sluice.hadoop.reduce;

import static org.junit.jupiter.api.Assertions.assertEquals;

import org.junit.jupiter.api.Test;

class CompletionPollerTest {
  @Test
  void onceASecondWhileManyMapsAreAwaited() {
    assertEquals(1000, CompletionPoller.periodMs(17, 1, 0));
  }

  @Test
  void tenTimesASecondForTheLastMaps() {
    assertEquals(100, CompletionPoller.periodMs(16, 1, 0));
    assertEquals(100, CompletionPoller.periodMs(1, 100, 1_999));
  }

  @Test
  void lessTheLongerNoneHasEnded() {
    assertEquals(500, CompletionPoller.periodMs(1, 1, 10_000));
    assertEquals(1000, CompletionPoller.periodMs(1, 1, 20_000));
    assertEquals(1000, CompletionPoller.periodMs(1, 1, Long.MAX_VALUE));
  }

  @Test
  void lessWithManyReducesSoThatAllTogetherAskAThousandTimesASecond() {
    assertEquals(400, CompletionPoller.periodMs(1, 400, 0));
    assertEquals(1000, CompletionPoller.periodMs(1, 1_000, 0));
    assertEquals(1000, CompletionPoller.periodMs(1, Integer.MAX_VALUE, 0));
  }
}
