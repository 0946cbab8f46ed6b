package io.sluice.hadoop.reduce;

import static org.junit.jupiter.api.Assertions.assertEquals;

import org.junit.jupiter.api.Test;

class ReduceWindowsTest {
  private static final int MIB = 1 << 20;
  private static final int ANY = Integer.MAX_VALUE;

  @Test
  void fewMapsHaveLargeWindows() {
    assertEquals(new ReduceWindows(MIB / 2, 128), ReduceWindows.of(64L * MIB, 1, ANY));
    assertEquals(new ReduceWindows(MIB / 2, 128), ReduceWindows.of(64L * MIB, 32, ANY));
    assertEquals(new ReduceWindows(MIB, 1024), ReduceWindows.of(1024L * MIB, 32, ANY));
  }

  @Test
  void moreMapsHaveSmallerOnesOfWhichEachHasFour() {
    assertEquals(new ReduceWindows(MIB / 4, 256), ReduceWindows.of(64L * MIB, 33, ANY));
    assertEquals(new ReduceWindows(64 << 10, 1024), ReduceWindows.of(64L * MIB, 256, ANY));
  }

  @Test
  void theyAreNeverSmallerThanWhatIsWorthARead() {
    assertEquals(new ReduceWindows(64 << 10, 1024), ReduceWindows.of(64L * MIB, 100_000, ANY));
    assertEquals(new ReduceWindows(64 << 10, 16), ReduceWindows.of(MIB, 1, ANY));
  }

  @Test
  void whereThereMayBeFewTheyAreLarger() {
    assertEquals(new ReduceWindows(MIB / 2, 100), ReduceWindows.of(64L * MIB, 100_000, 100));
    assertEquals(new ReduceWindows(MIB, 10), ReduceWindows.of(64L * MIB, 1, 10));
    assertEquals(new ReduceWindows(64 << 10, 1000), ReduceWindows.of(64L * MIB, 256, 1000));
  }
}
