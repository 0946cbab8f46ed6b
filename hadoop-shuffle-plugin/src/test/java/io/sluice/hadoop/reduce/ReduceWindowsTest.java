package io.sluice.hadoop.reduce;

import static org.junit.jupiter.api.Assertions.assertEquals;

import org.junit.jupiter.api.Test;

class ReduceWindowsTest {
  private static final int MIB = 1 << 20;

  @Test
  void fewMapsHaveLargeWindows() {
    assertEquals(new ReduceWindows(MIB / 2, 128), ReduceWindows.of(64L * MIB, 1));
    assertEquals(new ReduceWindows(MIB / 2, 128), ReduceWindows.of(64L * MIB, 32));
    assertEquals(new ReduceWindows(MIB, 1024), ReduceWindows.of(1024L * MIB, 32));
  }

  @Test
  void moreMapsHaveSmallerOnesOfWhichEachHasFour() {
    assertEquals(new ReduceWindows(MIB / 4, 256), ReduceWindows.of(64L * MIB, 33));
    assertEquals(new ReduceWindows(64 << 10, 1024), ReduceWindows.of(64L * MIB, 256));
  }

  @Test
  void theyAreNeverSmallerThanWhatIsWorthARead() {
    assertEquals(new ReduceWindows(64 << 10, 1024), ReduceWindows.of(64L * MIB, 100_000));
    assertEquals(new ReduceWindows(64 << 10, 16), ReduceWindows.of(MIB, 1));
  }
}
