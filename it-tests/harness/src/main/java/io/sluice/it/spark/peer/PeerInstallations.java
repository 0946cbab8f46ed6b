package io.sluice.it.spark.peer;

import io.sluice.it.cluster.ClusterException;
import io.sluice.it.spark.SparkDistribution;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Stream;

/** Which peers are unpacked in a directory, or one below it. */
public final class PeerInstallations {
  private final Map<Peer, Path> homes;
  private final SparkDistribution spark;

  private PeerInstallations(Map<Peer, Path> homes, SparkDistribution spark) {
    this.homes = homes;
    this.spark = spark;
  }

  /**
   * Looks for them, and for their clients.
   *
   * @param spark whose jobs they are for
   * @throws ClusterException if there is none, or one of them twice or without a client for Spark
   */
  public static PeerInstallations in(Path directory, SparkDistribution spark) {
    List<Path> places = new ArrayList<>(List.of(directory));
    try (Stream<Path> below = Files.list(directory)) {
      below.filter(Files::isDirectory).sorted().forEach(places::add);
    } catch (IOException e) {
      throw new ClusterException("cannot look for peers in " + directory, e);
    }
    Map<Peer, Path> homes = new EnumMap<>(Peer.class);
    for (Path place : places) {
      for (Peer peer : Peer.values()) {
        if (Files.exists(place.resolve(peer.mark()))) {
          Path other = homes.put(peer, place.toAbsolutePath());
          if (other != null) {
            throw new ClusterException(
                "%s is in %s twice: %s and %s".formatted(peer.title(), directory, other, place));
          }
        }
      }
    }
    if (homes.isEmpty()) {
      throw new ClusterException(
          "neither %s nor a directory in it has %s of %s or %s of %s"
              .formatted(
                  directory,
                  Peer.CELEBORN.mark(),
                  Peer.CELEBORN.title(),
                  Peer.UNIFFLE.mark(),
                  Peer.UNIFFLE.title()));
    }
    homes.forEach((peer, home) -> peer.clientJar(home, spark));
    return new PeerInstallations(homes, spark);
  }

  /** Those that were found. */
  public Set<Peer> peers() {
    return homes.keySet();
  }

  /**
   * Starts the servers of one of them, and returns when they serve.
   *
   * @param directory for their files, which exists
   */
  public PeerServers start(Peer peer, Path directory) {
    Path home = homes.get(peer);
    PeerServers servers = new PeerServers(spark, directory);
    try {
      Map<String, String> settings =
          switch (peer) {
            case CELEBORN -> CelebornServers.start(servers, home);
            case UNIFFLE -> UniffleServers.start(servers, home);
          };
      servers.setClient(peer, peer.clientJar(home, spark), settings);
      return servers;
    } catch (RuntimeException e) {
      servers.close();
      throw e;
    }
  }
}
