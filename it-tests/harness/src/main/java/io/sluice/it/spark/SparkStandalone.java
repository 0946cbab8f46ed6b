package io.sluice.it.spark;

import com.fasterxml.jackson.databind.JsonNode;
import io.sluice.it.cluster.ClusterException;
import io.sluice.it.cluster.Daemon;
import io.sluice.it.cluster.PeerHost;
import io.sluice.it.cluster.Poll;
import io.sluice.it.cluster.Ports;
import io.sluice.it.cluster.QuickStart;
import io.sluice.it.cluster.Rest;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Predicate;

/**
 * A standalone Spark cluster: a Master and two Workers with a core each, all real processes of a
 * released distribution. Each Worker has an address of its own, so that Spark takes them for two
 * hosts, as speculation needs. They are on the loopback interface, unless the second Worker is on
 * another host.
 *
 * <p>Not thread-safe, except {@link #close}. Its starter closes it, which ends daemons and
 * executors and removes their files; see {@link SparkDirectory}. Daemons that die are reported by
 * {@link #requireAlive} with the end of their log; every wait has a deadline.
 */
public final class SparkStandalone implements AutoCloseable {
  private static final Duration READY_DEADLINE = Duration.ofMinutes(5);
  private static final List<String> LOOPBACK = List.of("127.0.0.1", "127.0.0.2");
  private static final String WORKER = "worker";
  private static final String FIRST_WORKER = WORKER + 0;
  private static final String SECOND_WORKER = WORKER + 1;
  private static final String DEPLOY = "org.apache.spark.deploy.";

  private final SparkDirectory directory;
  private final List<String> hosts; // of the Workers; the Master is on the first
  private final Optional<PeerHost> peer;
  private final int masterPort = Ports.take();
  private final int webPort = Ports.take();
  private final Rest rest = new Rest();
  private final List<Daemon> daemons = new ArrayList<>();
  private final int shufflePort; // 0 without an external shuffle service

  private SparkStandalone(
      SparkDirectory directory,
      List<String> hosts,
      Optional<PeerHost> peer,
      boolean shuffleService) {
    this.directory = directory;
    this.hosts = hosts;
    this.peer = peer;
    this.shufflePort = shuffleService ? Ports.take() : 0;
  }

  /**
   * Starts all daemons, which keep everything in a new directory below the given one, and returns
   * when the Master has both Workers.
   */
  public static SparkStandalone start(SparkDistribution distribution, Path parent) {
    return start(distribution, parent, false);
  }

  /**
   * The same with Spark's external shuffle service, or without. The first Worker runs it for both:
   * it listens at all addresses of the host.
   */
  public static SparkStandalone start(
      SparkDistribution distribution, Path parent, boolean shuffleService) {
    return new SparkStandalone(
            SparkDirectory.create(distribution, parent), LOOPBACK, Optional.empty(), shuffleService)
        .start();
  }

  /**
   * The same without it, and with the second Worker on another host, which sees the directory at
   * the same path.
   *
   * @param hosts the names of this host and of the other one
   */
  public static SparkStandalone start(
      SparkDistribution distribution, Path parent, List<String> hosts, PeerHost peer) {
    return new SparkStandalone(
            SparkDirectory.create(distribution, parent), hosts, Optional.of(peer), false)
        .start();
  }

  private SparkStandalone start() {
    try {
      startDaemons();
      return this;
    } catch (RuntimeException e) {
      keepDirectory();
      close();
      throw new ClusterException(
          "the Spark cluster did not start; its logs are in " + directory.logs(), e);
    }
  }

  private void startDaemons() {
    start("master", hosts.get(0), "master.Master", masterPort, Integer.toString(webPort));
    await("the Master to be alive", status -> status.path("status").asText().equals("ALIVE"));
    for (int i = 0; i < hosts.size(); i++) {
      start(
          WORKER + i,
          hosts.get(i),
          "worker.Worker",
          Ports.take(),
          Integer.toString(Ports.take()),
          "--cores",
          "1",
          "--memory",
          "1024m",
          master());
    }
    await(
        "the Master to have both Workers",
        status -> status.path("aliveworkers").asInt() == hosts.size());
  }

  private void start(
      String name, String host, String mainClass, int port, String webPort, String... more) {
    Path place = directory.makePlace(name);
    List<String> arguments = new ArrayList<>();
    arguments.add(DEPLOY + mainClass);
    arguments.addAll(List.of("--host", host, "--port", Integer.toString(port)));
    arguments.addAll(List.of("--webui-port", webPort));
    arguments.addAll(List.of(more));
    Map<String, String> environment =
        Map.of(
            "SPARK_DAEMON_MEMORY",
            "384m",
            // A port that is taken is an error, not a reason to try the next one.
            "SPARK_DAEMON_JAVA_OPTS",
            "-XX:+UseSerialGC -Dspark.port.maxRetries=0 -Dspark.worker.timeout=600 "
                + QuickStart.LINE
                + (name.equals(FIRST_WORKER) ? shuffleServiceOptions() : ""),
            "SPARK_LOCAL_DIRS",
            localDirectories(name, place),
            "SPARK_LOCAL_IP",
            host);
    Daemon daemon =
        new Daemon(
            name,
            log ->
                peer.isPresent() && name.equals(SECOND_WORKER)
                    ? directory.start(peer.get(), place, "spark-class", arguments, environment, log)
                    : directory.start(place, "spark-class", arguments, environment, log, log),
            directory.logs().resolve(name + ".log"));
    daemons.add(daemon);
    daemon.start();
  }

  /** The external shuffle service refuses executors whose directories are not below its own. */
  private String localDirectories(String name, Path place) {
    List<String> places = new ArrayList<>(List.of(place.resolve("local").toString()));
    for (int i = 1; i < hosts.size() && shufflePort != 0 && name.equals(FIRST_WORKER); i++) {
      places.add(place.resolveSibling(WORKER + i).resolve("local").toString());
    }
    return String.join(",", places);
  }

  private String shuffleServiceOptions() {
    StringBuilder options = new StringBuilder();
    shuffleServiceSettings()
        .forEach((key, value) -> options.append(" -D").append(key).append('=').append(value));
    return options.toString();
  }

  /** Settings of an application that uses the external shuffle service; none if there is none. */
  public Map<String, String> shuffleServiceSettings() {
    return shufflePort == 0
        ? Map.of()
        : Map.of(
            "spark.shuffle.service.enabled",
            "true",
            "spark.shuffle.service.port",
            Integer.toString(shufflePort));
  }

  private void await(String what, Predicate<JsonNode> condition) {
    Poll.untilTrue(
        what,
        READY_DEADLINE,
        () -> {
          requireAlive();
          return condition.test(rest.get(hosts.get(0) + ":" + webPort, "/json/"));
        });
  }

  /** Fails, with the end of its log, if a daemon is no longer running. */
  public void requireAlive() {
    daemons.forEach(Daemon::requireAlive);
  }

  /** The cluster's name for {@code spark-submit}. */
  public String master() {
    return "spark://" + hosts.get(0) + ":" + masterPort;
  }

  /** Leaves logs behind when the cluster is closed, to be looked at. */
  public void keepDirectory() {
    directory.keepDirectory();
  }

  @Override
  public void close() {
    daemons.forEach(Daemon::requestStop);
    daemons.forEach(Daemon::close);
    directory.close();
  }
}
