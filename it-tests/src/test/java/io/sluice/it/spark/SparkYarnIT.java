package io.sluice.it.spark;

import static org.junit.jupiter.api.Assertions.assertAll;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.sluice.it.cluster.NodeManager;
import io.sluice.it.cluster.Poll;
import io.sluice.it.cluster.PseudoCluster;
import io.sluice.it.cluster.Workspace;
import io.sluice.it.scenario.SharedCluster;
import io.sluice.it.spark.PlanOracle.ShuffleState;
import io.sluice.it.spark.jobs.LossJob.Loss;
import io.sluice.it.spark.jobs.LossJob.LossReport;
import io.sluice.it.spark.jobs.ShuffleArguments;
import io.sluice.it.spark.jobs.Workload;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;

/** Spark on YARN, with the service that the NodeManagers run for MapReduce. */
@ExtendWith(SharedCluster.class)
class SparkYarnIT {
  private static final int PARTITIONS = 9;
  private static final ShuffleArguments ROWS =
      new ShuffleArguments(Workload.GROUP_BY_KEY, 20_000, PARTITIONS, 7);
  private static final Duration DEADLINE = Duration.ofMinutes(5);

  private final Workspace workspace = Workspace.find();
  private final SparkDistribution spark =
      SparkDistribution.locate(SparkDistribution.DEFAULT_VERSION);

  @TempDir Path directory;

  /** What they have written is in the NodeManagers' pools, so that nothing is computed again. */
  @Test
  void outputsInTheNodeManagersServicesSurviveAnExecutorThatIsKilled(PseudoCluster cluster) {
    Map<String, String> hadoop = Map.of("HADOOP_CONF_DIR", cluster.clientConf().toString());
    try (SparkSubmit submit = new SparkSubmit(spark, directory, hadoop)) {
      LossReport stock = submit.run(SparkSubmit.LOCAL, job(Loss.NONE)).report(LossReport.class);
      LossReport report =
          submit
              .run(
                  "yarn",
                  YarnExecutors.of(
                      job(Loss.KILL).throughSluice(workspace), spark.home().resolve("jars")))
              .report(LossReport.class);
      ShuffleState state = ShuffleState.of(report.executorStates().values());
      assertAll(
          () -> assertEquals(stock.digest(), report.digest()),
          () -> assertEquals(stock.count(), report.count()),
          () -> assertEquals(PARTITIONS, report.mapTasks(), "no map task ran again"),
          () -> assertEquals(0, report.failedTasks()),
          () -> assertTrue(report.remoteBytesRead() > 0, report.toString()),
          () ->
              assertEquals(
                  report.remoteBytesRead(), state.bytesByWay().get("tcp"), state.toString()),
          () -> assertEquals(Map.of(), state.fallbacks()));
      for (NodeManager node : cluster.nodes()) {
        Poll.untilTrue(
            "the application's outputs to be freed", DEADLINE, () -> node.poolState().isEmpty());
      }
    }
  }

  private SparkJob job(Loss loss) {
    return QuickJvms.of(SparkJob.loss(workspace, loss, ROWS));
  }
}
