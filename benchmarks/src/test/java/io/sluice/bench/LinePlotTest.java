package io.sluice.bench;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.sluice.bench.Figure.Spread;
import io.sluice.bench.Plot.LinePlot;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import javax.imageio.ImageIO;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class LinePlotTest {

  @Test
  void drawsWhatHasPointsAndLeavesOutWhatHasNone(@TempDir Path directory) throws Exception {
    Path file = directory.resolve("plot.png");
    new LinePlot(
            "title",
            "across",
            "unit",
            Map.of(
                "measured",
                List.of(new LinePlot.Point(0.25, 10, 1), new LinePlot.Point(0.5, 5, 0)),
                "failed",
                List.of()))
        .draw(file);
    assertTrue(ImageIO.read(file.toFile()).getWidth() > 0);
  }

  @Test
  void whatIsFartherOffThanTheMiddleIsDrawnWithoutAZero(@TempDir Path directory) throws Exception {
    Path file = directory.resolve("plot.png");
    List<LinePlot.Point> points =
        List.of(new LinePlot.Point(10, 0.2, 2), new LinePlot.Point(100, 0.2, 0));
    new LinePlot("title", "across", "unit", Map.of("measured", points), true).draw(file);
    assertTrue(ImageIO.read(file.toFile()).getWidth() > 0);
  }

  @Test
  void aPointIsAsFarOffAsItsFarthestMeasurement() {
    assertEquals(
        new LinePlot.Point(0.5, 10, 4),
        LinePlot.Point.of(0.5, Spread.of(List.of(9.0, 10.0, 14.0))));
  }
}
