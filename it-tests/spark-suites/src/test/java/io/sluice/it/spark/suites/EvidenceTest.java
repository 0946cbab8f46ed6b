package io.sluice.it.spark.suites;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class EvidenceTest {
  private static final String OURS = "io.sluice.spark.SluiceShuffleManager";
  private static final String STOCK = "org.apache.spark.shuffle.sort.SortShuffleManager";

  @TempDir private Path directory;

  private Evidence evidence(String... lines) throws IOException {
    return Evidence.read(Files.write(directory.resolve("evidence"), List.of(lines)));
  }

  @Test
  void bytesOfAllContextsShowThatASuiteWasShuffled() throws IOException {
    Evidence seen =
        evidence(
            "manager driver " + OURS,
            "metric pool.written.bytes 5",
            "manager executor " + OURS,
            "metric pool.written.bytes 7");
    assertEquals(12, seen.pooledBytes());
    assertEquals(List.of(), seen.faults(OURS, false));
  }

  @Test
  void oneContextWithAnotherManagerIsAFault() throws IOException {
    Evidence seen =
        evidence(
            "manager driver " + OURS, "metric pool.written.bytes 5", "manager driver " + STOCK);
    assertEquals(
        List.of("1 of the suite's contexts and executors had " + STOCK), seen.faults(OURS, false));
  }

  @Test
  void aSuiteThatPutsNothingIntoAPoolShowsNothing() throws IOException {
    assertEquals(
        1, evidence("manager driver " + OURS, "metric fallbacks 3").faults(OURS, false).size());
    assertEquals(1, Evidence.read(directory.resolve("none")).faults(OURS, false).size());
  }

  @Test
  void aSuiteThatMustBeLeftToSparkHasOurManagerAndNothingInAPool() throws IOException {
    assertEquals(List.of(), evidence("manager driver " + OURS).faults(OURS, true));
    assertEquals(1, Evidence.read(directory.resolve("none")).faults(OURS, true).size());
    Evidence pooled = evidence("manager driver " + OURS, "metric pool.written.bytes 5");
    assertEquals(1, pooled.faults(OURS, true).size());
  }
}
