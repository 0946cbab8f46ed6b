package io.sluice.it.spark;

import io.sluice.it.cluster.Workspace;
import java.nio.file.Path;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.io.TempDir;

/** For tests that submit jobs to the stock Spark under test; what was submitted ends with each. */
abstract class SubmitTestBase {
  /** An executor that is decommissioned has its outputs moved, as soon as Spark can. */
  static final Map<String, String> DECOMMISSION =
      Map.of(
          "spark.decommission.enabled",
          "true",
          "spark.storage.decommission.enabled",
          "true",
          "spark.storage.decommission.shuffleBlocks.enabled",
          "true",
          "spark.storage.decommission.replicationReattemptInterval",
          "1s");

  final Workspace workspace = Workspace.find();
  final SparkDistribution spark = SparkDistribution.underTest();
  SparkSubmit submit;

  @TempDir Path directory;

  @BeforeEach
  final void createSubmit() {
    submit = new SparkSubmit(spark, directory.resolve("runs"));
  }

  @AfterEach
  final void closeSubmit() {
    submit.close();
  }
}
