package io.sluice.it.foreign;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.sluice.it.cluster.ClusterException;
import io.sluice.it.cluster.Workspace;
import io.sluice.it.report.Console;
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
        title,
        "one process",
        2,
        10,
        failure.isEmpty() ? "" : ForeignResult.SLUICE,
        failure,
        differentFiles,
        List.of(),
        List.of(),
        20.2,
        9.6);
  }

  @Test
  void aRunReplacesTheRowsOfItsProgramsAlone() throws IOException {
    ForeignPrograms.publish(
        directory, List.of(result("Pig", "", List.of("x")), result("Hive", "ended", List.of())));
    Path page = ForeignPrograms.publish(directory, List.of(result("Pig", "", List.of())));
    assertEquals(
        List.of(
            "| Hive | one process | **Sluice fails** | – | 20 | 10 |",
            "| Pig | one process | equal: 2 files, 10 lines | equal | 20 | 10 |"),
        rows(page));
  }

  @Test
  void aProgramThatStockDoesNotRunIsARowAndNoException() throws IOException {
    ForeignPrograms programs = new ForeignPrograms(Workspace.find(), Console.standard());
    ForeignResult failed =
        programs.compare(
            ForeignProgram.ORC,
            "one process",
            run -> {
              throw new ClusterException("ORC ended with 1", new IOException("no space"));
            });
    assertEquals(
        List.of(
            "stock failed: "
                + ClusterException.class.getName()
                + ": ORC ended with 1; java.io.IOException: no space"),
        failed.problems());
    ForeignResult next =
        programs.compare(ForeignProgram.AVRO, "one process", run -> result("Avro", "", List.of()));
    Path page = ForeignPrograms.publish(directory, List.of(failed, next));
    assertEquals(
        List.of(
            "| Avro | one process | equal: 2 files, 10 lines | equal | 20 | 10 |",
            "| %s | one process | **stock fails** | – | 0 | – |"
                .formatted(ForeignProgram.ORC.title())),
        rows(page));
  }

  @Test
  void aCounterThatDiffersForNoKnownReasonIsAProblem() throws IOException {
    ForeignResult result =
        new ForeignResult(
            "Hive",
            "one process",
            2,
            10,
            "",
            "",
            List.of(),
            List.of("job 1: a = 1, 2"),
            List.of("job 2: b = 1, 2: for a reason"),
            20,
            10);
    assertEquals(List.of("job 1: a = 1, 2"), result.problems());
    assertEquals(
        List.of(
            "| Hive | one process | equal: 2 files, 10 lines | **differ**: job 1: a = 1, 2; equal but"
                + " for job 2: b = 1, 2: for a reason | 20 | 10 |"),
        rows(ForeignPrograms.publish(directory, List.of(result))));
  }

  private static List<String> rows(Path page) throws IOException {
    return Files.readAllLines(page).stream()
        .filter(line -> line.contains("| one process"))
        .toList();
  }
}
