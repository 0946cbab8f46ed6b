package io.sluice.it.scenario;

import io.sluice.it.cluster.ClusterSpec;
import io.sluice.it.cluster.HadoopDistribution;
import io.sluice.it.cluster.PseudoCluster;
import io.sluice.it.cluster.SluiceFragments;
import io.sluice.it.cluster.Workspace;
import java.util.Optional;
import java.util.Set;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.jupiter.api.extension.ParameterContext;
import org.junit.jupiter.api.extension.ParameterResolver;

/**
 * Gives tests the one cluster that all test classes of a JVM share: it starts with the first test
 * that asks for it and ends with the JVM's last test.
 *
 * <p>A test that changes the cluster, such as one that kills a NodeManager, restores it. Has
 * Sluice's service and settings if the plugin has been built, with pools so small that a scenario
 * can fill them; NodeManagers recover; two tasks run on each node beside an ApplicationMaster;
 * heartbeats are quick.
 */
public final class SharedCluster implements ParameterResolver {
  private static final int NODE_MEMORY_MB = 768 + 2 * 1280;

  /** Size of each tier of a node's pool, for scenarios that shall not fit. */
  static final int POOL_MEMORY_MB = 24;

  static final int POOL_DISK_MB = 64;

  /** Closed by JUnit with the store that holds it. */
  private record Holder(PseudoCluster cluster) implements AutoCloseable {
    @Override
    public void close() {
      cluster.close();
    }
  }

  @Override
  public boolean supportsParameter(ParameterContext parameter, ExtensionContext context) {
    return parameter.getParameter().getType() == PseudoCluster.class;
  }

  @Override
  public Object resolveParameter(ParameterContext parameter, ExtensionContext context) {
    return context
        .getRoot()
        .getStore(ExtensionContext.Namespace.GLOBAL)
        .getOrComputeIfAbsent("cluster", key -> new Holder(start()), Holder.class)
        .cluster();
  }

  private static PseudoCluster start() {
    Workspace workspace = Workspace.find();
    return PseudoCluster.start(workspace, spec(HadoopDistribution.underTest(workspace), workspace));
  }

  private static ClusterSpec spec(HadoopDistribution distribution, Workspace workspace) {
    Optional<SluiceFragments> sluice = SluiceFragments.load(workspace);
    ClusterSpec stock =
        QuickCluster.of(distribution)
            .withNodeMemoryMb(NODE_MEMORY_MB)
            .withNodeManagerRecovery()
            // So that a NodeManager that is stopped, and not killed, leaves its tasks alone too.
            .withSite("yarn.nodemanager.recovery.supervised", "true")
            .withSite("sluice.pool.capacity-mb", Integer.toString(POOL_MEMORY_MB))
            .withSite("sluice.pool.segment-mb", "4")
            .withSite("sluice.pool.overflow-capacity-mb", Integer.toString(POOL_DISK_MB));
    return sluice.map(found -> stock.withSluice(found, Set.of())).orElse(stock);
  }
}
