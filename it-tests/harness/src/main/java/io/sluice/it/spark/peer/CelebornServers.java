package io.sluice.it.spark.peer;

import io.sluice.it.cluster.Ports;
import io.sluice.it.cluster.Rest;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * A master and a worker of Celeborn's, configured as its documentation says for one worker ("Deploy
 * Celeborn"), with its files in a directory that is in memory if the caller's is.
 */
final class CelebornServers {
  private static final String DEPLOY = "org.apache.celeborn.service.deploy.";
  private static final String PACKAGES =
      "java.lang,java.lang.invoke,java.lang.reflect,java.io,java.net,java.nio,java.util,"
          + "java.util.concurrent,java.util.concurrent.atomic,jdk.internal.misc,sun.nio.ch,sun.nio.cs,"
          + "sun.security.action,sun.util.calendar";

  private CelebornServers() {}

  /** Returns when they serve, with what jobs are told. */
  static Map<String, String> start(PeerServers servers, Path home) {
    String master = PeerServers.HOST + ":" + Ports.take();
    String masterWeb = PeerServers.HOST + ":" + Ports.take();
    Map<String, Object> conf = new LinkedHashMap<>();
    conf.put("celeborn.master.endpoints", master);
    conf.put("celeborn.master.http.host", PeerServers.HOST);
    conf.put("celeborn.master.http.port", port(masterWeb));
    conf.put("celeborn.worker.http.host", PeerServers.HOST);
    conf.put("celeborn.worker.http.port", Ports.take());
    conf.put("celeborn.worker.storage.dirs", servers.directory().resolve("data") + ":disktype=SSD");
    conf.put("celeborn.worker.storage.disk.reserve.size", "1g");
    conf.put("celeborn.worker.monitor.disk.enabled", false); // watches block devices
    conf.put("celeborn.metrics.enabled", false);
    servers.write("celeborn-defaults.conf", conf);
    start(
        servers,
        "master",
        List.of("-Xmx512m"),
        home.resolve("master-jars"),
        List.of(
            DEPLOY + "master.Master",
            "--host",
            PeerServers.HOST,
            "--port",
            Integer.toString(port(master))));
    Rest rest = new Rest();
    servers.await(
        "Celeborn's master to answer", () -> rest.get(masterWeb, "/api/v1/workers").isObject());
    start(
        servers,
        "worker",
        List.of("-Xmx1g", "-XX:MaxDirectMemorySize=2g"),
        home.resolve("worker-jars"),
        List.of(DEPLOY + "worker.Worker"));
    servers.await(
        "Celeborn's master to have a worker",
        () -> rest.get(masterWeb, "/api/v1/workers").path("workers").size() == 1);
    return clientSettings(master);
  }

  private static void start(
      PeerServers servers, String name, List<String> memory, Path jars, List<String> arguments) {
    List<String> options = new ArrayList<>(memory);
    options.add("-Dio.netty.tryReflectionSetAccessible=true");
    for (String opened : PACKAGES.split(",")) {
      options.add("--add-opens=java.base/" + opened + "=ALL-UNNAMED");
    }
    String directory = servers.directory().toString();
    servers.start(
        "celeborn-" + name,
        Map.of("CELEBORN_CONF_DIR", directory, "CELEBORN_LOG_DIR", directory),
        options,
        List.of(jars),
        arguments);
  }

  private static Map<String, String> clientSettings(String master) {
    return Map.of(
        "spark.celeborn.master.endpoints",
        master,
        "spark.celeborn.client.push.replicate.enabled",
        "false", // there is one worker
        "spark.celeborn.client.spark.shuffle.fallback.policy",
        "NEVER",
        "spark.sql.adaptive.localShuffleReader.enabled",
        "false");
  }

  private static int port(String address) {
    return Integer.parseInt(address.substring(address.indexOf(':') + 1));
  }
}
