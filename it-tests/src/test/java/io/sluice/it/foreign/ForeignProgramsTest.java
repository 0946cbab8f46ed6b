package io.sluice.it.foreign;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ForeignProgramsTest {
  @TempDir private Path directory;

  private static ForeignResult result(String title, String failure, List<String> differentFiles) {
    return new ForeignResult(
        title, "one process", 2, 10, failure, differentFiles, List.of(), 20.2, 9.6);
  }

  @Test
  void aRunReplacesTheRowsOfItsProgramsAlone() throws IOException {
    ForeignPrograms.publish(
        directory, List.of(result("Pig", "", List.of("x")), result("Hive", "ended", List.of())));
    Path page = ForeignPrograms.publish(directory, List.of(result("Pig", "", List.of())));
    assertEquals(
        List.of(
            "| Hive | one process | **fails** | – | 20 | 10 |",
            "| Pig | one process | equal: 2 files, 10 lines | equal | 20 | 10 |"),
        Files.readAllLines(page).stream().filter(line -> line.contains("| one process")).toList());
  }
}
