package io.sluice.it.spark;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.sluice.it.cluster.Workspace;
import io.sluice.it.spark.SparkSuites.SparkSuiteResult;
import io.sluice.it.spark.suites.ListedSuite;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Spark's own suites through Sluice, the quick ones in every run; {@code ./sluice spark-suites}
 * runs them too. Each of their tests is reported besides, and counts as one.
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

  static Stream<ListedSuite> others() {
    return ListedSuite.all().stream().filter(suite -> !suite.quick());
  }

  @ParameterizedTest
  @MethodSource("quick")
  void aQuickSuitePasses(ListedSuite suite) {
    assertPasses(suite);
  }

  @ParameterizedTest
  @MethodSource("others")
  @Tag("campaign")
  void everyOtherSuitePasses(ListedSuite suite) {
    assertPasses(suite);
  }

  private static void assertPasses(ListedSuite suite) {
    SparkSuiteResult result = suites.run(suite);
    assertEquals(List.of(), result.reports().failed());
    assertTrue(result.reports().passed() > 0, "no test ran");
  }
}
