package io.sluice.it.cluster;

import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/**
 * The description of a cluster: its release, its nodes, and all that differs from the base
 * configuration.
 *
 * @param distribution the Hadoop release of daemons, clients and containers
 * @param sluice Sluice's settings, or nothing for a cluster without it
 * @param stockNodes indexes of the NodeManagers that do not get Sluice's service
 * @param places where its processes and files are
 * @param site properties of all daemons and clients, over the base
 * @param nodeSite properties of one NodeManager, over all others
 * @param users the users of NodeManagers and containers; all run as the cluster's owner if empty
 */
public record ClusterSpec(
    HadoopDistribution distribution,
    Optional<SluiceFragments> sluice,
    Set<Integer> stockNodes,
    ClusterPlaces places,
    Map<String, String> site,
    Map<Integer, Map<String, String>> nodeSite,
    Optional<TestUsers> users) {

  /** A cluster of stock Hadoop on this machine. */
  public static ClusterSpec of(HadoopDistribution distribution) {
    return new ClusterSpec(
        distribution,
        Optional.empty(),
        Set.of(),
        ClusterPlaces.HERE,
        Map.of(),
        Map.of(),
        Optional.empty());
  }

  /** With this much memory that each NodeManager offers to containers. */
  public ClusterSpec withNodeMemoryMb(int memoryMb) {
    return withSite("yarn.nodemanager.resource.memory-mb", Integer.toString(memoryMb));
  }

  /** With NodeManagers that keep their state over a restart. */
  public ClusterSpec withNodeManagerRecovery() {
    return withSite("yarn.nodemanager.recovery.enabled", "true");
  }

  public ClusterSpec withPlaces(ClusterPlaces others) {
    return new ClusterSpec(distribution, sluice, stockNodes, others, site, nodeSite, users);
  }

  /** Gives Sluice's settings to the job clients, and its service to all nodes but these. */
  public ClusterSpec withSluice(SluiceFragments fragments, Set<Integer> nodesWithout) {
    Set<Integer> stock = Set.copyOf(nodesWithout);
    return new ClusterSpec(
        distribution, Optional.of(fragments), stock, places, site, nodeSite, users);
  }

  public ClusterSpec withSite(String name, String value) {
    return withSite(Map.of(name, value));
  }

  public ClusterSpec withSite(Map<String, String> properties) {
    Map<String, String> more = new LinkedHashMap<>(site);
    more.putAll(properties);
    return new ClusterSpec(distribution, sluice, stockNodes, places, more, nodeSite, users);
  }

  public ClusterSpec withNodeSite(int node, String name, String value) {
    Map<Integer, Map<String, String>> more = new LinkedHashMap<>(nodeSite);
    Map<String, String> ofNode = new LinkedHashMap<>(more.getOrDefault(node, Map.of()));
    ofNode.put(name, value);
    more.put(node, ofNode);
    return new ClusterSpec(distribution, sluice, stockNodes, places, site, more, users);
  }

  /** With NodeManagers of a user of their own, and containers of the jobs' users. */
  public ClusterSpec withUsers(TestUsers others) {
    return new ClusterSpec(
        distribution, sluice, stockNodes, places, site, nodeSite, Optional.of(others));
  }

  /** The same with its jars in other places. */
  ClusterSpec withJars(HadoopDistribution release, Optional<SluiceFragments> plugin) {
    return new ClusterSpec(release, plugin, stockNodes, places, site, nodeSite, users);
  }

  /**
   * Where a cluster's processes and files are.
   *
   * @param hosts name of the host of each NodeManager; all other daemons are on the first
   * @param shared where the cluster makes its directory, which all hosts see at the same path; the
   *     build's own if empty
   * @param scratch where each host keeps data, on a file system of its own; in the cluster's
   *     directory if empty
   * @param files a directory that all hosts see and that is the cluster's file system, without the
   *     daemons of HDFS; HDFS if empty
   * @param peer how processes on the second host are started; none if there is only one
   * @param daemonOptions options of the daemons' JVMs
   * @param oneJvm whether all daemons of the first host are in one JVM, where starting one takes
   *     long: they can then not be killed each for itself
   * @param nodePrefix what the commands of the NodeManagers and of the DataNode begin with, such as
   *     what puts a process into a group; containers inherit it
   */
  public record ClusterPlaces(
      List<String> hosts,
      Optional<Path> shared,
      Optional<Path> scratch,
      Optional<Path> files,
      Optional<PeerHost> peer,
      List<String> daemonOptions,
      boolean oneJvm,
      List<String> nodePrefix) {

    /** Everything on this machine, below the build's directory. */
    public static final ClusterPlaces HERE =
        new ClusterPlaces(
            List.of("localhost", "localhost"),
            Optional.empty(),
            Optional.empty(),
            Optional.empty(),
            Optional.empty(),
            List.of(),
            false,
            List.of());

    /** The same with a NodeManager on each of these. */
    public ClusterPlaces withHosts(List<String> names) {
      return new ClusterPlaces(
          names, shared, scratch, files, peer, daemonOptions, oneJvm, nodePrefix);
    }

    /** The same with other options of the daemons' JVMs. */
    public ClusterPlaces withDaemonOptions(List<String> options) {
      return new ClusterPlaces(hosts, shared, scratch, files, peer, options, oneJvm, nodePrefix);
    }

    /** The same with this in front of the commands of a node's daemons. */
    public ClusterPlaces withNodePrefix(List<String> prefix) {
      return new ClusterPlaces(hosts, shared, scratch, files, peer, daemonOptions, oneJvm, prefix);
    }

    /** The same with each host's data elsewhere. */
    public ClusterPlaces withScratch(Path base) {
      return new ClusterPlaces(
          hosts, shared, Optional.of(base), files, peer, daemonOptions, oneJvm, nodePrefix);
    }

    String master() {
      return hosts.get(0);
    }

    /** Whether a NodeManager runs on the second host. */
    boolean isOnPeer(int node) {
      return !hosts.get(node).equals(master());
    }
  }
}
