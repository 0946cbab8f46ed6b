package io.sluice.it.scenario;

import io.sluice.it.cluster.NodeManager;
import io.sluice.it.cluster.NodeManager.NodeState;
import io.sluice.it.cluster.Poll;
import io.sluice.it.cluster.PseudoCluster;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/** The pools of all nodes of a cluster that have one. */
final class Pools {
  private static final Duration DEADLINE = Duration.ofMinutes(5);

  private Pools() {}

  /** Waits until no pool holds anything: jobs have ended, and nothing of them leaked. */
  static void awaitEmpty(PseudoCluster cluster) {
    Poll.untilTrue(
        "empty pools on all nodes",
        DEADLINE,
        () -> {
          List<NodeState> states = states(cluster);
          if (!states.stream().allMatch(NodeState::isEmpty)) {
            throw new IOException("the pools still hold " + states);
          }
          return true;
        });
  }

  /** How often something has gone to the disk tiers, whether a task or a service wrote it. */
  static long diskUses(PseudoCluster cluster) throws IOException, InterruptedException {
    return states(cluster).stream().mapToLong(NodeState::diskUses).sum();
  }

  static List<NodeState> states(PseudoCluster cluster) throws IOException, InterruptedException {
    List<NodeState> states = new ArrayList<>();
    for (NodeManager node : cluster.nodes()) {
      states.add(node.poolState());
    }
    return states;
  }
}
