package io.sluice.it.spark;

import com.fasterxml.jackson.databind.JsonNode;
import io.sluice.it.cluster.Daemon;
import io.sluice.it.cluster.Poll;
import io.sluice.it.cluster.Ports;
import io.sluice.it.cluster.QuickStart;
import io.sluice.it.cluster.Rest;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * Spark's history server, a real process of a released distribution, over one directory of event
 * logs.
 *
 * <p>Not thread-safe. Its starter closes it, which removes its files; see {@link SparkDirectory}.
 */
public final class SparkHistoryServer implements AutoCloseable {
  private static final Duration READY_DEADLINE = Duration.ofMinutes(5);
  private static final String MAIN_CLASS = "org.apache.spark.deploy.history.HistoryServer";
  private static final String NAME = "history-server";

  private final SparkDirectory directory;
  private final String address;
  private final Rest rest = new Rest();
  private final Daemon daemon;

  private SparkHistoryServer(SparkDirectory directory, String address, Daemon daemon) {
    this.directory = directory;
    this.address = address;
    this.daemon = daemon;
  }

  /**
   * Starts one.
   *
   * @param parent it keeps everything in a new directory below this one
   * @param events the directory of event logs
   * @param classPath what is on its class path besides Spark; may be empty
   */
  public static SparkHistoryServer start(
      SparkDistribution distribution, Path parent, Path events, String classPath) {
    SparkDirectory directory = SparkDirectory.create(distribution, parent);
    Path place = directory.makePlace(NAME);
    int port = Ports.take();
    Map<String, String> environment =
        Map.of(
            "SPARK_DAEMON_MEMORY",
            "384m",
            "SPARK_DAEMON_CLASSPATH",
            classPath,
            "SPARK_DAEMON_JAVA_OPTS",
            "-XX:+UseSerialGC " + QuickStart.LINE,
            "SPARK_HISTORY_OPTS",
            "-Dspark.port.maxRetries=0 -Dspark.history.fs.update.interval=1s"
                + (" -Dspark.history.ui.port=" + port)
                + (" -Dspark.history.fs.logDirectory=" + events.toUri()));
    Daemon daemon =
        new Daemon(
            NAME,
            log ->
                directory.start(place, "spark-class", List.of(MAIN_CLASS), environment, log, log),
            directory.logs().resolve(NAME + ".log"));
    daemon.start();
    return new SparkHistoryServer(directory, "127.0.0.1:" + port, daemon);
  }

  /** The id of the only application, when it is listed. */
  public String application() {
    return Poll.until(
        "the history server to list an application",
        READY_DEADLINE,
        () -> {
          daemon.requireAlive();
          JsonNode all = rest.get(address, "/api/v1/applications");
          return all.isEmpty() ? Optional.empty() : Optional.of(all.get(0).path("id").asText());
        });
  }

  /** What its REST interface says of an application. */
  public JsonNode rest(String application, String what) throws IOException, InterruptedException {
    return rest.get(address, "/api/v1/applications/" + application + "/" + what);
  }

  /** The address of an application's pages. */
  public String pages(String application) {
    return "http://" + address + "/history/" + application;
  }

  @Override
  public void close() {
    daemon.close();
    directory.close();
  }
}
