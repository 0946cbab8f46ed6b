package io.sluice.bench.model;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.sluice.bench.model.ShuffleLimits.ShuffleLoad;
import io.sluice.it.report.ResultFiles;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ModelPageTest {
  private static final ShuffleLimits LIMITS =
      new ShuffleLimits(
          2048, "most.c", 2048, "most.e", 20, 1 << 30, "node.m", 1 << 26, "red.m", 1 << 16,
          m -> 1024);

  @TempDir Path directory;

  private String page() throws IOException {
    ModelPage.of(MadeUp.measurements(), new ShuffleLoad(40, 8), LIMITS)
        .write(new ResultFiles(directory));
    return Files.readString(directory.resolve("model.md"));
  }

  @Test
  void itSaysWhatWasPredictedAndWhatWasMeasured() throws IOException {
    String page = page();
    assertTrue(
        page.contains(
            "| LineCounter, remote blocks | memory, serialized | 8 MB | 119 ms | 119 ms | +0 % | +0 % |"),
        page);
    assertTrue(page.contains("median 0 %, largest 0 %"), page);
    assertTrue(page.contains("alpha 0.0 ms, B 2.7 Gb/s"), page);
    assertTrue(page.contains("cross at 280 Gb/s"), page);
  }

  @Test
  void everyLimitIsNamedWithTheNodesThatMeetIt() throws IOException {
    String page = page();
    assertTrue(page.contains("| most.c | 256 nodes |"), page);
    assertTrue(page.contains("| most.c | 257 nodes |"), page);
    assertTrue(page.contains("| most.e | 2,049 nodes |"), page);
    assertTrue(page.contains("| windows of red.m | 25 nodes |"), page);
    assertTrue(page.contains("| node.m and 8 times red.m | 10,000 and more |"), page);
    assertTrue(page.contains("| node.m and 8 times red.m | 25 nodes |"), page); // 1,024 runs
  }

  @Test
  void allPlotsAreDrawn() throws IOException {
    page();
    Set<String> plots;
    try (Stream<Path> files = Files.list(directory)) {
      plots =
          files
              .map(file -> file.getFileName().toString())
              .filter(name -> name.endsWith(".png"))
              .collect(Collectors.toSet());
    }
    assertEquals(
        Set.of(
            "model-check.png",
            "model-8a.png",
            "model-8b.png",
            "model-8c.png",
            "model-connections.png",
            "model-messages.png",
            "model-runs.png",
            "model-registered.png"),
        plots);
  }

  @Test
  void itIsMadeAgainFromWhatItWrote() throws IOException {
    page();
    assertEquals(MadeUp.measurements(), Measurements.read(directory.resolve("model.json")));
    ModelPage.keep(MadeUp.measurements(), new ResultFiles(directory));
    assertEquals(MadeUp.measurements(), Measurements.read(directory.resolve("model.json")));
  }

  @Test
  void anotherFileIsRefused() throws IOException {
    Path other = Files.writeString(directory.resolve("other.json"), "{\"rounds\": []}");
    assertThrows(IOException.class, () -> Measurements.read(other));
  }

  /** All tasks of the made-up runs are where their blocks are, but those that are sent away. */
  @Test
  void tasksElsewhereAreCounted() {
    Measurements made = MadeUp.measurements();
    assertEquals(0, made.tasksElsewhere());
    assertEquals(4 * 3 * 4 * MadeUp.BLOCKS, made.tasksThatShouldBeAtTheirBlock());
    List<Measurements.Measured> remoteAlone =
        made.measured().stream().filter(each -> each.run().benchmark().isRemote()).toList();
    assertEquals(
        0,
        new Measurements(made.machine(), made.spark(), made.cores(), remoteAlone)
            .tasksThatShouldBeAtTheirBlock());
  }
}
