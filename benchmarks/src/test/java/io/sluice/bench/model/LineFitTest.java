package io.sluice.bench.model;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import io.sluice.bench.model.StageFit.LineFit;
import io.sluice.bench.model.StageFit.LineFit.Point;
import java.util.List;
import org.junit.jupiter.api.Test;

class LineFitTest {
  private static final double SMALL = 1e-12;

  private static void assertLine(double base, double slope, Point... points) {
    LineFit line = LineFit.of(List.of(points));
    assertEquals(base, line.base(), SMALL);
    assertEquals(slope, line.slope(), SMALL);
  }

  @Test
  void aLineIsFoundAgain() {
    assertLine(3, 2, new Point(1, 5), new Point(2, 7), new Point(10, 23));
    assertEquals(13, LineFit.of(List.of(new Point(1, 5), new Point(2, 7))).at(5), SMALL);
  }

  /** Means 1 and 7/3; sum of products 3, of squares 2. */
  @Test
  void errorsAreShared() {
    assertLine(7.0 / 3 - 1.5, 1.5, new Point(0, 1), new Point(1, 2), new Point(2, 4));
  }

  /** Unbound it is 3 x - 2; through the origin (1 + 8) / (1 + 4). */
  @Test
  void nothingCostsNoLessThanNothing() {
    assertLine(0, 1.8, new Point(1, 1), new Point(2, 4));
  }

  @Test
  void moreCostsNoLess() {
    assertLine(4, 0, new Point(1, 5), new Point(2, 3));
  }

  @Test
  void oneSizeIsNoLine() {
    assertThrows(
        IllegalArgumentException.class,
        () -> LineFit.of(List.of(new Point(1, 5), new Point(1, 6))));
  }
}
