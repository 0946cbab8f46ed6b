package io.sluice.it.cluster;

import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/**
 * What a cluster shall be: the release, its nodes and what differs from the base configuration.
 *
 * @param distribution the Hadoop release of daemons, clients and containers
 * @param nodeMemoryMb memory each NodeManager offers to containers
 * @param nodeManagerRecovery whether NodeManagers keep their state over a restart
 * @param sluice Sluice's settings, or nothing for a cluster without it
 * @param stockNodes indexes of the NodeManagers that do not get Sluice's service
 * @param places where its processes and files are
 * @param site properties of all daemons and clients, over the base
 * @param nodeSite properties of one NodeManager, over all others
 * @param users whom NodeManagers and containers run as; all as who starts the cluster if empty
 */
public record ClusterSpec(
    HadoopDistribution distribution,
    int nodeMemoryMb,
    boolean nodeManagerRecovery,
    Optional<SluiceFragments> sluice,
    Set<Integer> stockNodes,
    ClusterPlaces places,
    Map<String, String> site,
    Map<Integer, Map<String, String>> nodeSite,
    Optional<TestUsers> users) {

  static final int AM_MEMORY_MB = 768;
  static final int TASK_MEMORY_MB = 1280;

  /** One ApplicationMaster and one task on a node, one task on the other: two cores' worth. */
  private static final int NODE_MEMORY_MB = AM_MEMORY_MB + TASK_MEMORY_MB;

  public static ClusterSpec of(HadoopDistribution distribution) {
    return new ClusterSpec(
        distribution,
        NODE_MEMORY_MB,
        false,
        Optional.empty(),
        Set.of(),
        ClusterPlaces.HERE,
        Map.of(),
        Map.of(),
        Optional.empty());
  }

  public ClusterSpec withNodeMemoryMb(int memoryMb) {
    return new ClusterSpec(
        distribution,
        memoryMb,
        nodeManagerRecovery,
        sluice,
        stockNodes,
        places,
        site,
        nodeSite,
        users);
  }

  public ClusterSpec withNodeManagerRecovery() {
    return new ClusterSpec(
        distribution, nodeMemoryMb, true, sluice, stockNodes, places, site, nodeSite, users);
  }

  public ClusterSpec withPlaces(ClusterPlaces others) {
    return new ClusterSpec(
        distribution,
        nodeMemoryMb,
        nodeManagerRecovery,
        sluice,
        stockNodes,
        others,
        site,
        nodeSite,
        users);
  }

  /** Gives Sluice's settings to the job clients, and its service to all nodes but these. */
  public ClusterSpec withSluice(SluiceFragments fragments, Set<Integer> nodesWithout) {
    return new ClusterSpec(
        distribution,
        nodeMemoryMb,
        nodeManagerRecovery,
        Optional.of(fragments),
        Set.copyOf(nodesWithout),
        places,
        site,
        nodeSite,
        users);
  }

  public ClusterSpec withSite(String name, String value) {
    return withSite(Map.of(name, value));
  }

  public ClusterSpec withSite(Map<String, String> properties) {
    Map<String, String> more = new LinkedHashMap<>(site);
    more.putAll(properties);
    return new ClusterSpec(
        distribution,
        nodeMemoryMb,
        nodeManagerRecovery,
        sluice,
        stockNodes,
        places,
        more,
        nodeSite,
        users);
  }

  public ClusterSpec withNodeSite(int node, String name, String value) {
    Map<Integer, Map<String, String>> more = new LinkedHashMap<>(nodeSite);
    Map<String, String> ofNode = new LinkedHashMap<>(more.getOrDefault(node, Map.of()));
    ofNode.put(name, value);
    more.put(node, ofNode);
    return new ClusterSpec(
        distribution,
        nodeMemoryMb,
        nodeManagerRecovery,
        sluice,
        stockNodes,
        places,
        site,
        more,
        users);
  }

  /** With NodeManagers of a user of their own and containers of those for whom jobs run. */
  public ClusterSpec withUsers(TestUsers others) {
    return new ClusterSpec(
        distribution,
        nodeMemoryMb,
        nodeManagerRecovery,
        sluice,
        stockNodes,
        places,
        site,
        nodeSite,
        Optional.of(others));
  }

  /** The same with its jars in other places. */
  ClusterSpec withJars(HadoopDistribution release, Optional<SluiceFragments> plugin) {
    return new ClusterSpec(
        release,
        nodeMemoryMb,
        nodeManagerRecovery,
        plugin,
        stockNodes,
        places,
        site,
        nodeSite,
        users);
  }
}
