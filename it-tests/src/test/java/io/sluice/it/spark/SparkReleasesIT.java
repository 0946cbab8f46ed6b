package io.sluice.it.spark;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.sluice.it.cluster.Workspace;
import io.sluice.it.report.Console;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The same jar on the releases before the one that the other tests run. */
class SparkReleasesIT {
  @ParameterizedTest
  @ValueSource(strings = {"4.1.2", "4.0.3"})
  void anOlderReleaseGivesStocksResults(String release) {
    Jdk jdk = Jdk.of(Path.of(System.getProperty("java.home"))).orElseThrow();
    MatrixCell cell =
        new SparkMatrix(Workspace.find(), Console.standard())
            .cell(SparkDistribution.locate(release), jdk);
    assertEquals("", cell.stockProblem());
    assertEquals(List.of(), cell.problems());
    assertTrue(cell.remoteBytesServed() > 0, cell.toString());
  }
}
