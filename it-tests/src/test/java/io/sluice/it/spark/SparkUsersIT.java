package io.sluice.it.spark;

import static org.junit.jupiter.api.Assertions.assertAll;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.sluice.it.cluster.ClusterSpec;
import io.sluice.it.cluster.NodeManager;
import io.sluice.it.cluster.Poll;
import io.sluice.it.cluster.PseudoCluster;
import io.sluice.it.cluster.TestUsers;
import io.sluice.it.cluster.Workspace;
import io.sluice.it.scenario.UsersCluster;
import io.sluice.it.spark.PlanOracle.ShuffleState;
import io.sluice.it.spark.jobs.LossJob.Loss;
import io.sluice.it.spark.jobs.LossJob.LossReport;
import io.sluice.it.spark.jobs.ShuffleArguments;
import io.sluice.it.spark.jobs.Workload;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Spark on YARN, whose executors are another user's than the NodeManagers and their service. */
class SparkUsersIT {
  private static final int NODE_MEMORY_MB = 2 * 1280;
  private static final ShuffleArguments ROWS =
      new ShuffleArguments(Workload.GROUP_BY_KEY, 20_000, 9, 7);
  private static final Duration DEADLINE = Duration.ofMinutes(5);

  private final Workspace workspace = Workspace.find();
  private final SparkDistribution spark =
      SparkDistribution.locate(SparkDistribution.DEFAULT_VERSION);

  @TempDir Path directory;

  /** They write to, and read from, open files of the service's pool alone. */
  @Test
  void executorsOfAnotherUserShuffleThroughTheNodeManagersService() throws IOException {
    ClusterSpec spec = UsersCluster.spec(workspace, UsersCluster.users(), NODE_MEMORY_MB, 24, 4);
    try (PseudoCluster cluster = PseudoCluster.start(workspace, spec);
        SparkSubmit submit = new SparkSubmit(spark, directory, asAnn(cluster))) {
      LossReport stock = submit.run(SparkSubmit.LOCAL, job()).report(LossReport.class);
      LossReport report =
          submit
              .run(
                  "yarn",
                  YarnExecutors.of(
                      job().throughSluice(workspace), readableJars(cluster.directory())))
              .report(LossReport.class);
      ShuffleState state = ShuffleState.of(report.executorStates().values());
      assertAll(
          () -> assertEquals(stock.digest(), report.digest()),
          () -> assertEquals(stock.count(), report.count()),
          () -> assertEquals(0, report.failedTasks()),
          () -> assertTrue(state.bytesByWay().get("local") > 0, state.toString()),
          () -> assertEquals(Map.of(), state.fallbacks()));
      for (NodeManager node : cluster.nodes()) {
        Poll.untilTrue(
            "the application's outputs to be freed", DEADLINE, () -> node.poolState().isEmpty());
      }
    }
  }

  private static Map<String, String> asAnn(PseudoCluster cluster) {
    return Map.of(
        "HADOOP_CONF_DIR", cluster.clientConf().toString(), "HADOOP_USER_NAME", TestUsers.ANN);
  }

  /** Spark's jars, where containers of any user can read them; removed with the cluster. */
  private Path readableJars(Path cluster) throws IOException {
    Path jars = Files.createDirectory(cluster.resolve("spark-jars"));
    try (Stream<Path> all = Files.list(spark.home().resolve("jars"))) {
      for (Path jar : all.toList()) {
        Files.copy(jar, jars.resolve(jar.getFileName()));
      }
    }
    return jars;
  }

  private SparkJob job() {
    return QuickJvms.of(SparkJob.loss(workspace, Loss.NONE, ROWS));
  }
}
