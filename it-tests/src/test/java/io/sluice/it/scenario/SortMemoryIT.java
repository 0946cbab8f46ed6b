package io.sluice.it.scenario;

import io.sluice.bench.hadoop.HadoopVariant;
import io.sluice.it.cluster.ClusterSpec;
import io.sluice.it.cluster.PseudoCluster;
import io.sluice.it.cluster.TestUsers;
import io.sluice.it.cluster.Workspace;
import io.sluice.it.job.RunningJob;
import io.sluice.it.jobs.ScenarioConf;
import java.io.IOException;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * Maps of two users with small sort buffers, on nodes that lend them more: YARN counts anonymous
 * pages alone.
 */
@Tag("campaign")
class SortMemoryIT {
  private static final int NODE_MEMORY_MB = 2 * 768 + 2 * 1280;
  private static final Scenario RECORDS =
      Scenario.newApi("lent")
          .with(ScenarioConf.MAPS, 3)
          .with(ScenarioConf.RECORDS_PER_MAP, 20_000)
          .with(ScenarioConf.MAX_VALUE_LENGTH, 1_000)
          .with("mapreduce.task.io.sort.mb", 1);

  @Test
  void mapsOfTwoUsersSortInWhatTheirNodesLend() throws IOException {
    Workspace workspace = Workspace.find();
    ClusterSpec spec =
        UsersCluster.spec(workspace, UsersCluster.users(), NODE_MEMORY_MB, 96, 8)
            .withSite(
                "yarn.nodemanager.container-monitor.procfs-tree.smaps-based-rss.enabled", "true");
    try (PseudoCluster cluster = PseudoCluster.start(workspace, spec)) {
      String expected = StockOutput.of(cluster, RECORDS);
      Scenario ann = RECORDS.named("ann");
      Scenario bob = RECORDS.named("bob");
      try (RunningJob first = UsersCluster.start(cluster, ann, TestUsers.ANN);
          RunningJob second = UsersCluster.start(cluster, bob, TestUsers.BOB)) {
        finish(cluster, first, ann, expected);
        finish(cluster, second, bob, expected);
      }
      Pools.awaitEmpty(cluster);
    }
  }

  private static void finish(
      PseudoCluster cluster, RunningJob job, Scenario scenario, String expected)
      throws IOException {
    FinishedJob.of(cluster, job.await().requireSuccess())
        .allSucceededAtOnce()
        .has("SORT_BYTES_BORROWED")
        .hasNoFallback();
    Oracle.assertSameOutput(cluster, expected, scenario.output(HadoopVariant.SLUICE));
  }
}
