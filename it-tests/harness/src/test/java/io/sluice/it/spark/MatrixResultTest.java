package io.sluice.it.spark;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.sluice.it.cluster.Workspace;
import io.sluice.it.report.MarkedSection;
import io.sluice.it.spark.MatrixResult.MatrixCell;
import java.util.List;
import org.junit.jupiter.api.Test;

class MatrixResultTest {
  private final Workspace workspace = Workspace.find();

  @Test
  void thePageShowsWhatWasRun() {
    MatrixResult committed =
        MatrixResult.read(workspace.publishedResults().resolve(MatrixResult.NAME + ".json"));
    assertEquals(
        committed.table().toMarkdown(),
        new MarkedSection(workspace.sparkReleases(), MatrixResult.NAME).read());
    assertEquals(
        SparkDistribution.VERSIONS,
        committed.cells().stream().map(MatrixCell::spark).distinct().toList());
    assertTrue(committed.cells().stream().allMatch(MatrixCell::passed));
  }

  @Test
  void aCellSaysWhetherSluiceOrStockFailed() {
    MatrixResult result =
        new MatrixResult(
            List.of(
                new MatrixCell("2.0", "17.0.1", 7, 1, "", List.of()),
                new MatrixCell("2.0", "25", 0, 0, "no such method", List.of()),
                new MatrixCell("1.0", "17.0.1", 7, 1, "", List.of("another digest"))));
    assertEquals(
        """
        | Spark | JDK 17 | JDK 25 |
        |---|---|---|
        | 2.0 | 7 workloads as stock | stock Spark does not run |
        | 1.0 | **fails** | not run |
        """,
        result.table().toMarkdown());
  }
}
