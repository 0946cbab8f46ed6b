package io.sluice.spark.engine;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.Optional;
import org.apache.spark.package$;
import org.junit.jupiter.api.Test;

/** A Spark that a vendor has changed is left to itself. */
class SparkReleaseTest {
  @Test
  void theReleaseThatTestsRunIsKnown() {
    assertEquals(Optional.empty(), SparkRelease.unknownShape());
  }

  @Test
  void anotherConstructorIsSaidWithTheRelease() {
    String why = SparkRelease.unknownShape(String.class).orElseThrow();
    assertTrue(why.contains("this Spark " + package$.MODULE$.SPARK_VERSION() + " is built"), why);
    assertTrue(why.contains("java.lang.String"), why);
  }
}
