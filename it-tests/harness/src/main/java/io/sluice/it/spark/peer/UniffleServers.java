package io.sluice.it.spark.peer;

import io.sluice.it.cluster.Ports;
import io.sluice.it.cluster.Rest;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * A coordinator and a shuffle server of Uniffle's over Netty, which its documentation recommends
 * ("Netty"), with buffers for what the benchmark shuffles, and files in a directory that is in
 * memory if the caller's is.
 */
final class UniffleServers {
  private static final String NETTY = "GRPC_NETTY";
  private static final String IN_MEMORY_AND_FILES = "MEMORY_LOCALFILE";

  private UniffleServers() {}

  /** Returns when they serve, with what jobs are told. */
  static Map<String, String> start(PeerServers servers, Path home) {
    int port = Ports.take();
    String coordinator = PeerServers.HOST + ":" + port;
    int webPort = Ports.take();
    Map<String, Object> ofCoordinator = new LinkedHashMap<>();
    ofCoordinator.put("rss.rpc.server.port", port);
    ofCoordinator.put("rss.jetty.http.port", webPort);
    ofCoordinator.put("rss.coordinator.shuffle.nodes.max", 1);
    start(
        servers,
        home.resolve("jars/coordinator"),
        List.of("-Xmx512m"),
        "org.apache.uniffle.coordinator.CoordinatorServer",
        servers.write("coordinator.conf", ofCoordinator));
    Map<String, Object> ofServer = new LinkedHashMap<>();
    ofServer.put("rss.rpc.server.port", Ports.take());
    ofServer.put("rss.jetty.http.port", Ports.take());
    ofServer.put("rss.rpc.server.type", NETTY);
    ofServer.put("rss.server.netty.port", Ports.take());
    ofServer.put("rss.storage.type", IN_MEMORY_AND_FILES);
    ofServer.put("rss.storage.basePath", servers.directory().resolve("data"));
    ofServer.put("rss.coordinator.quorum", coordinator);
    ofServer.put("rss.server.buffer.capacity", "1500mb");
    ofServer.put("rss.server.read.buffer.capacity", "300mb");
    ofServer.put("rss.server.disk.capacity", "8g");
    ofServer.put("rss.server.heartbeat.delay", 0);
    ofServer.put("rss.server.heartbeat.interval", 1000);
    start(
        servers,
        home.resolve("jars/server"),
        List.of(
            "-Xmx1g",
            "-XX:MaxDirectMemorySize=2g",
            "-Dio.netty.tryReflectionSetAccessible=true",
            "--add-opens=java.base/java.nio=ALL-UNNAMED",
            "--add-opens=java.base/jdk.internal.misc=ALL-UNNAMED"),
        "org.apache.uniffle.server.ShuffleServer",
        servers.write("server.conf", ofServer));
    Rest rest = new Rest();
    servers.await(
        "Uniffle's coordinator to have a server",
        () ->
            rest.get(PeerServers.HOST + ":" + webPort, "/api/server/nodes?status=ACTIVE")
                    .path("data")
                    .size()
                == 1);
    return clientSettings(coordinator);
  }

  /** Its jars are without Hadoop's, which Spark has. */
  private static void start(
      PeerServers servers, Path jars, List<String> options, String mainClass, Path conf) {
    Path sparks = servers.spark().home().resolve("jars");
    servers.start(
        mainClass.substring(mainClass.lastIndexOf('.') + 1),
        Map.of(),
        options,
        List.of(
            jars,
            Peer.onlyJar(sparks, "hadoop-client-api"),
            Peer.onlyJar(sparks, "hadoop-client-runtime")),
        List.of(mainClass, "--conf", conf.toString()));
  }

  private static Map<String, String> clientSettings(String coordinator) {
    return Map.of(
        "spark.rss.coordinator.quorum",
        coordinator,
        "spark.rss.storage.type",
        IN_MEMORY_AND_FILES,
        "spark.rss.client.type",
        NETTY);
  }
}
