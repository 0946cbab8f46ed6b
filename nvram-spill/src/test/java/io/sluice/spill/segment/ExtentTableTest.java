package io.sluice.spill.segment;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;

class ExtentTableTest {
  private final ExtentTable table =
      new ExtentTable(List.of(extent(0, 100, 10), extent(7, 0, 20), extent(1, 50, 5)));

  @Test
  void logicalRangesSpanExtents() {
    assertEquals(35, table.lengthBytes());
    assertEquals(30, table.lastStartBytes());
    assertEquals(List.of(new Range(0, 100, 10)), table.ranges(0, 10));
    assertEquals(List.of(new Range(7, 0, 1)), table.ranges(10, 1));
    assertEquals(List.of(new Range(0, 109, 1), new Range(7, 0, 1)), table.ranges(9, 2));
    assertEquals(
        List.of(new Range(0, 105, 5), new Range(7, 0, 20), new Range(1, 50, 5)),
        table.ranges(5, 30));
    assertEquals(List.of(new Range(1, 54, 1)), table.ranges(34, 1));
  }

  @Test
  void emptyRangesHaveNoParts() {
    assertEquals(List.of(), table.ranges(0, 0));
    assertEquals(List.of(), table.ranges(35, 0));
    assertEquals(List.of(), new ExtentTable().ranges(0, 0));
  }

  @Test
  void rangesOutsideAreRefused() {
    for (long[] wrong : new long[][] {{0, 36}, {35, 1}, {-1, 1}, {0, -1}, {Long.MAX_VALUE, 1}}) {
      assertThrows(IndexOutOfBoundsException.class, () -> table.ranges(wrong[0], wrong[1]));
    }
  }

  @Test
  void extentsLieInsideTheirSegment() {
    SegmentInfo segment = new SegmentInfo(1, Tier.MEMORY, Path.of("s"), 100);
    for (long[] wrong : new long[][] {{-1, 1}, {0, 0}, {0, 101}, {100, 1}, {Long.MAX_VALUE, 1}}) {
      assertThrows(IllegalArgumentException.class, () -> new Extent(segment, wrong[0], wrong[1]));
    }
    assertThrows(
        IllegalArgumentException.class, () -> new SegmentInfo(1, Tier.DISK, Path.of("s"), 1));
    assertThrows(IllegalArgumentException.class, () -> new Range(1, Long.MAX_VALUE, 1));
  }

  private static Extent extent(int segmentId, long offsetBytes, long lengthBytes) {
    SegmentInfo segment = new SegmentInfo(segmentId, Tier.MEMORY, Path.of("s"), 1000);
    return new Extent(segment, offsetBytes, lengthBytes);
  }
}
