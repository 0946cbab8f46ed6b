package io.sluice.it.spark;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.sluice.it.cluster.Workspace;
import io.sluice.it.spark.suites.ListedSuite;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * The quick ones of Spark's own suites through Sluice; {@code ./sluice spark-suites} runs all. Each
 * of their tests is reported besides, and counts as one.
 */
class SparkSuitesIT {
  private static SparkSuites suites;

  @BeforeAll
  static void create() {
    suites = new SparkSuites(Workspace.find());
  }

  @AfterAll
  static void close() {
    suites.close();
  }

  static Stream<ListedSuite> quick() {
    return ListedSuite.all().stream().filter(ListedSuite::quick);
  }

  @ParameterizedTest
  @MethodSource("quick")
  void passes(ListedSuite suite) {
    SuiteResult result = suites.run(suite);
    assertEquals(List.of(), result.reports().failed());
    assertTrue(result.reports().passed() > 0, "no test ran");
  }
}
