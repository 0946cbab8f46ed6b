package io.sluice.it.spark;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.sluice.it.cluster.Workspace;
import io.sluice.it.report.Console;
import io.sluice.it.spark.MatrixResult.MatrixCell;
import io.sluice.it.spark.SparkMatrix.Jdk;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * The same jar on the releases before the one that the other tests run: the oldest in every run,
 * with Scala 2.12.
 */
class SparkReleasesIT {
  @Test
  void theOldestReleaseGivesStocksResults() {
    assertGivesStocksResults("3.5.8");
  }

  @ParameterizedTest
  @ValueSource(strings = {"4.1.2", "4.0.3", "3.5.8-scala2.13"})
  @Tag("campaign")
  void theOtherReleasesGiveStocksResults(String release) {
    assertGivesStocksResults(release);
  }

  private static void assertGivesStocksResults(String release) {
    Jdk jdk = Jdk.of(Path.of(System.getProperty("java.home"))).orElseThrow();
    MatrixCell cell =
        new SparkMatrix(Workspace.find(), Console.standard())
            .cell(SparkDistribution.locate(release), jdk);
    assertEquals("", cell.stockProblem());
    assertEquals(List.of(), cell.problems());
    assertTrue(cell.remoteBytesServed() > 0, cell.toString());
  }
}
