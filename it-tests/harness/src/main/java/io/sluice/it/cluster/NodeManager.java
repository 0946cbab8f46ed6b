package io.sluice.it.cluster;

import com.fasterxml.jackson.databind.JsonNode;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * One NodeManager of the cluster, with what belongs to it alone.
 *
 * <p>Not thread-safe. Owned by the {@link PseudoCluster}.
 */
public final class NodeManager {
  private static final Duration READY_DEADLINE = Duration.ofMinutes(30);

  /**
   * Where a NodeManager keeps and offers things.
   *
   * @param index from 0
   * @param host its host's name
   * @param conf its conf directory
   * @param localDir its {@code yarn.nodemanager.local-dirs}
   * @param containerLogs its {@code yarn.nodemanager.log-dirs}
   * @param pool the directory of Sluice's pool on this node
   * @param shufflePort port of the stock shuffle service
   * @param webPort port of its web services
   */
  public record Place(
      int index,
      String host,
      Path conf,
      Path localDir,
      Path containerLogs,
      Path pool,
      int shufflePort,
      int webPort) {}

  private final Place place;
  private final Daemon daemon;
  private final Rest rest;
  private final Map<String, String> site;

  NodeManager(Place place, Daemon daemon, Rest rest) {
    this.place = place;
    this.daemon = daemon;
    this.rest = rest;
    this.site = ClusterSiteXml.read(place.conf().resolve("yarn-site.xml"));
  }

  public Place place() {
    return place;
  }

  public Daemon daemon() {
    return daemon;
  }

  /** Starts it (again) and waits until its web services answer. */
  public void start() {
    daemon.start();
    awaitReady();
  }

  /** The state of Sluice's service; fails if there is none or the node does not answer. */
  public NodeState poolState() throws IOException, InterruptedException {
    String bean = "Hadoop:service=NodeManager,name=SluiceShuffle";
    return NodeState.parse(
        rest.get(place.host() + ":" + place.webPort(), "/jmx?qry=" + bean).at("/beans/0"));
  }

  void awaitReady() {
    Poll.untilTrue(
        daemon + " to answer on port " + place.webPort(),
        READY_DEADLINE,
        () -> {
          daemon.requireAlive();
          return rest.get(place.host() + ":" + place.webPort(), "/ws/v1/node/info")
              .at("/nodeInfo/nodeHealthy")
              .asBoolean();
        });
  }

  /** Kills it and starts it with some properties changed; none restores the original ones. */
  public void restartWith(Map<String, String> changes) {
    killHard(); // a stop takes ten seconds longer
    Map<String, String> values = new LinkedHashMap<>(site);
    values.putAll(changes);
    ClusterSiteXml.writeAll(place.conf(), values);
    start();
  }

  /** Ends it as {@code kill -9} does; its containers go on. */
  public void killHard() {
    daemon.killHard();
  }

  /** Ends it as its stop script does; without recovery it takes its containers with it. */
  public void stop() {
    daemon.stop();
  }

  /**
   * The state of a node's Sluice service, as JMX shows it.
   *
   * @param running whether it works
   * @param outputs map outputs it holds
   * @param copiedOutputs those of them in memory that have a copy on disk
   * @param memoryUsedBytes leased or committed in the memory tier
   * @param diskUsedBytes leased or committed in the disk tier
   * @param diskUses times since its start that a task's lease lay there, or an output was moved
   *     there
   * @param taskRefusals how often tasks and readers were refused, by why
   * @param failedReads how often reads were refused, by transport
   */
  public record NodeState(
      boolean running,
      int outputs,
      int copiedOutputs,
      long memoryUsedBytes,
      long diskUsedBytes,
      long diskUses,
      Map<String, Long> taskRefusals,
      Map<String, Long> failedReads) {

    static NodeState parse(JsonNode bean) {
      if (bean.isMissingNode()) {
        throw new ClusterException("the NodeManager has no JMX bean of Sluice's service");
      }
      return new NodeState(
          bean.path("Running").asBoolean(),
          bean.path("Outputs").asInt(),
          bean.path("CopiedOutputs").asInt(),
          bean.path("MemoryUsedBytes").asLong(),
          bean.path("DiskUsedBytes").asLong(),
          bean.path("Overflows").asLong() + bean.path("MovedOutputs").asLong(),
          counts(bean.path("TaskRefusals")),
          counts(bean.path("FailedReads")));
    }

    /** As the JMX servlet writes a map: a list of keys and values. */
    private static Map<String, Long> counts(JsonNode entries) {
      Map<String, Long> counts = new TreeMap<>();
      entries.forEach(
          entry -> counts.put(entry.path("key").asText(), entry.path("value").asLong()));
      return counts;
    }

    /** Whether nothing is left in it. */
    public boolean isEmpty() {
      return outputs == 0 && memoryUsedBytes == 0 && diskUsedBytes == 0;
    }
  }

  /**
   * The logs that containers leave in the NodeManagers' log directories.
   *
   * @param roots the log directory of each NodeManager
   */
  public record ContainerLogs(List<Path> roots) {

    /** The lines a container logged. */
    public List<String> syslog(String containerId) {
      String application =
          containerId.replaceFirst("container_(?:e\\d+_)?(\\d+_\\d+)_.*", "application_$1");
      return roots.stream()
          .map(root -> root.resolve(application).resolve(containerId).resolve("syslog"))
          .filter(Files::exists)
          .findFirst()
          .map(ContainerLogs::lines)
          .orElseThrow(
              () -> new ClusterException("no syslog of " + containerId + " below " + roots));
    }

    /** The directories of a job's containers. */
    public List<Path> ofJob(String jobId) {
      String applicationId = jobId.replace("job", "application");
      return roots.stream()
          .flatMap(
              root -> Workspace.matching(root.resolve(applicationId), "container", "").stream())
          .toList();
    }

    private static List<String> lines(Path file) {
      try {
        return Files.readAllLines(file);
      } catch (IOException e) {
        throw new UncheckedIOException("cannot read " + file, e);
      }
    }
  }
}
