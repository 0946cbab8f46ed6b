package io.sluice.it.spark;

import io.sluice.it.cluster.QuickStart;
import java.util.Map;

/** Has driver and executors start and compile quickly; for tests, which measure nothing. */
final class QuickJvms {
  private static final String OPTIONS = "-XX:+UseSerialGC " + QuickStart.LINE;

  private QuickJvms() {}

  static SparkJob of(SparkJob job) {
    return job.with(
        Map.of(
            "spark.driver.extraJavaOptions", OPTIONS, "spark.executor.extraJavaOptions", OPTIONS));
  }
}
