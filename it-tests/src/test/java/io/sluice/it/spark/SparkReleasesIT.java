package io.sluice.it.spark;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.sluice.it.cluster.Workspace;
import io.sluice.it.report.Console;
import io.sluice.it.spark.MatrixResult.MatrixCell;
import io.sluice.it.spark.SparkMatrix.Jdk;
import io.sluice.it.spark.SparkSubmit.SparkResult;
import io.sluice.it.spark.jobs.ShuffleArguments;
import io.sluice.it.spark.jobs.ShufflePlanJob.ContextPlan;
import io.sluice.it.spark.jobs.ShufflePlanJob.ShufflePlan;
import io.sluice.it.spark.jobs.ShufflePlanJob.ShufflePlanReport;
import io.sluice.it.spark.jobs.Workload;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import java.util.zip.ZipEntry;
import java.util.zip.ZipFile;
import java.util.zip.ZipOutputStream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * The same jar on the releases before the one that the other tests run: the oldest in every run,
 * with Scala 2.12.
 */
class SparkReleasesIT {
  private static final int JAVA_8 = 52;
  private static final int MAJOR_VERSION_AT = 6;

  private static final ShufflePlan PLAN =
      new ShufflePlan(
          List.of(
              new ContextPlan(
                  "some workloads",
                  Map.of(),
                  Stream.of(Workload.REPARTITION, Workload.SORT_BY_KEY)
                      .map(workload -> new ShuffleArguments(workload, 20_000, 6, 7))
                      .toList())));

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

  /**
   * Of Java 8 and 11 it has that they refuse newer class files: those of Sluice's jar are marked as
   * newer than this JVM, but for the ones that are Java 8's.
   */
  @ParameterizedTest
  @ValueSource(strings = {"3.5.8", "3.5.8-scala2.13"})
  @Tag("campaign")
  void onOlderJavaTheShuffleIsSparksOwn(String release, @TempDir Path directory)
      throws IOException {
    Workspace workspace = Workspace.find();
    Path older = directory.resolve("sluice.jar");
    markAsNewer(workspace.sparkEngineJar(), older);
    SparkJob job = SparkJob.plan(workspace, "Spark " + release, PLAN);
    try (SparkSubmit submit = new SparkSubmit(SparkDistribution.locate(release), directory)) {
      PlanOracle stock =
          new PlanOracle(submit.run(SparkSubmit.LOCAL, job).report(ShufflePlanReport.class));
      for (boolean driverToo : List.of(true, false)) {
        SparkJob onOlder =
            job.throughSluice(workspace, release)
                .with("spark.plugins", "io.sluice.spark.SluicePlugin")
                .with("spark.executor.extraClassPath", older);
        SparkResult result =
            submit.run(
                SparkSubmit.LOCAL_CLUSTER,
                driverToo ? onOlder.with("spark.driver.extraClassPath", older) : onOlder);
        assertEquals(
            List.of(),
            stock.wrongResults(result.report(ShufflePlanReport.class).contexts().get(0)));
        assertEquals(
            driverToo ? 1 : 0,
            result.log().lines().filter(line -> line.contains("leaves this application")).count(),
            result.log());
      }
    }
  }

  private static void markAsNewer(Path jar, Path copy) throws IOException {
    try (ZipFile from = new ZipFile(jar.toFile());
        ZipOutputStream to = new ZipOutputStream(Files.newOutputStream(copy))) {
      for (ZipEntry entry : Collections.list(from.entries())) {
        byte[] bytes = from.getInputStream(entry).readAllBytes();
        if (entry.getName().endsWith(".class") && bytes[MAJOR_VERSION_AT + 1] > JAVA_8) {
          bytes[MAJOR_VERSION_AT] = Byte.MAX_VALUE;
        }
        to.putNextEntry(new ZipEntry(entry.getName()));
        to.write(bytes);
      }
    }
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
