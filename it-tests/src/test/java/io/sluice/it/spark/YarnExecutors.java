package io.sluice.it.spark;

import java.nio.file.Path;
import java.util.Map;

/** What makes a job run on two small executors of YARN, through the NodeManagers' services. */
final class YarnExecutors {
  private YarnExecutors() {}

  /**
   * The job on YARN.
   *
   * @param jars Spark's, in a directory that its containers can read
   */
  static SparkJob of(SparkJob job, Path jars) {
    return job.with(
        Map.of(
            "spark.sluice.service",
            "yarn",
            "spark.yarn.jars",
            "local:" + jars + "/*",
            "spark.executor.instances",
            "2",
            "spark.executor.memory",
            "512m"));
  }
}
