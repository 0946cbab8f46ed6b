package io.sluice.it.scenario;

import io.sluice.bench.hadoop.HadoopVariant;
import io.sluice.it.cluster.ClusterSpec;
import io.sluice.it.cluster.HadoopDistribution;
import io.sluice.it.cluster.PseudoCluster;
import io.sluice.it.cluster.SluiceFragments;
import io.sluice.it.cluster.TestUsers;
import io.sluice.it.cluster.Workspace;
import io.sluice.it.job.RunningJob;
import io.sluice.it.job.RunningJob.JobProgress;
import java.util.Set;
import org.junit.jupiter.api.Assumptions;

/** A cluster whose containers are other users' than its NodeManagers and their services. */
public final class UsersCluster {
  private UsersCluster() {}

  /** The users of such clusters; the test is skipped where nobody can become them. */
  public static TestUsers users() {
    TestUsers.unavailable().ifPresent(why -> Assumptions.abort(why));
    return TestUsers.make();
  }

  /** Nodes with so much for containers, and a pool of so many segments. */
  public static ClusterSpec spec(
      Workspace workspace, TestUsers users, int nodeMemoryMb, int poolMb, int segmentMb) {
    return QuickCluster.of(HadoopDistribution.underTest(workspace))
        .withNodeMemoryMb(nodeMemoryMb)
        .withSite("sluice.pool.capacity-mb", Integer.toString(poolMb))
        .withSite("sluice.pool.segment-mb", Integer.toString(segmentMb))
        .withSluice(SluiceFragments.load(workspace).orElseThrow(), Set.of())
        .withUsers(users);
  }

  /** Starts a job of one of them; the caller closes it. */
  static RunningJob start(PseudoCluster cluster, Scenario scenario, String user) {
    return RunningJob.start(
        cluster, scenario.spec(HadoopVariant.SLUICE).as(user), JobProgress.SILENT);
  }
}
