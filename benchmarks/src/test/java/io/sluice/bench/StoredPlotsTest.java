package io.sluice.bench;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.sluice.bench.Plot.CostPlot;
import io.sluice.bench.Plot.LinePlot;
import io.sluice.bench.ResultPage.StoredPlots;
import io.sluice.it.report.Machine;
import io.sluice.it.report.ResultFiles;
import io.sluice.tools.text.TextTable;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class StoredPlotsTest {
  @TempDir private Path directory;

  @Test
  void whatIsDrawnAgainLooksAsItDid() throws Exception {
    Map<String, Plot> plots =
        Map.of(
            "-bars",
            new CostPlot(
                "t", "%", List.of("a", "b"), Map.of("s", List.of(bar(90), bar(Double.NaN)))),
            "-lines",
            new LinePlot("t", "x", "y", Map.of("s", List.of(new LinePlot.Point(1, 2, 0.5))), true));
    ResultPage page =
        new ResultPage(
            "bench-x",
            "x",
            Machine.here(),
            Map.of("rounds", List.of(1, 2)),
            Map.of("", new TextTable(List.of("a"))),
            List.of(),
            plots);
    page.write(new ResultFiles(directory));
    Path json = directory.resolve("bench-x.json");
    StoredPlots stored = StoredPlots.read(json);
    assertEquals(StoredPlots.SCHEMA, stored.schema());
    assertEquals(
        plots,
        stored.plots().stream()
            .collect(Collectors.toMap(StoredPlots.One::suffix, StoredPlots.One::plot)));
    for (String suffix : plots.keySet()) {
      Path drawn = directory.resolve("bench-x" + suffix + ".png");
      byte[] before = Files.readAllBytes(drawn);
      Files.delete(drawn);
      assertEquals(2, StoredPlots.drawAgain(json).size());
      assertArrayEquals(before, Files.readAllBytes(drawn), suffix);
    }
  }

  private static CostPlot.Bar bar(double percent) {
    return new CostPlot.Bar(percent, 1);
  }

  @Test
  void aResultOfAnotherSchemaIsLeft() throws Exception {
    Path old = Files.writeString(directory.resolve("bench-old.json"), "{\"title\": \"old\"}");
    assertTrue(StoredPlots.drawAgain(old).get(0).contains("whose schema is 0"));
    Path other = Files.writeString(directory.resolve("other.json"), "[]");
    assertThrows(UncheckedIOException.class, () -> StoredPlots.drawAgain(other));
  }
}
