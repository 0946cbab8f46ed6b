package io.sluice.it.cluster;

import java.nio.file.Path;
import java.util.List;
import java.util.Optional;

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
 * @param oneJvm whether all daemons are in one JVM, where starting one takes long: they can then
 *     not be killed each for itself
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
