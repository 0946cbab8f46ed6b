package io.sluice.it.spark.peer;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.sluice.it.cluster.ClusterDirectory;
import io.sluice.it.cluster.ClusterException;
import io.sluice.it.cluster.Poll;
import io.sluice.it.spark.SparkDistribution;
import io.sluice.it.spark.SparkJob;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class PeerServersTest {
  @TempDir private Path directory;

  private PeerServers servers() {
    return servers(directory);
  }

  private PeerServers servers(Path place) {
    Path javaHome = Path.of(System.getProperty("java.home"));
    return new PeerServers(new SparkDistribution("4.2.0", directory, javaHome), place);
  }

  @Test
  void aServerThatDiesEndsTheWaitWithWhatItSaid() {
    try (PeerServers servers = servers()) {
      servers.start("server", Map.of(), List.of(), List.of(directory), List.of("no.such.Main"));
      ClusterException e =
          assertThrows(ClusterException.class, () -> servers.await("it", () -> false));
      assertTrue(e.getMessage().startsWith("server is dead (exit status 1)"), e.getMessage());
      assertTrue(e.getMessage().contains("no.such.Main"), e.getMessage());
    }
  }

  /** The defect was: Celeborn's, which are told nothing on their command lines, stayed for ever. */
  @Test
  void serversOfAKilledBenchmarkAreFoundByTheirDirectory() throws IOException {
    ClusterDirectory place = ClusterDirectory.create(directory);
    Path waiting =
        Files.writeString(
            directory.resolve("Waiting.java"),
            """
            class Waiting {
              public static void main(String[] arguments) throws Exception {
                System.in.read();
              }
            }
            """);
    try (PeerServers servers = servers(place.path())) {
      servers.start("server", Map.of(), List.of(), List.of(), List.of(waiting.toString()));
      Poll.untilTrue(
          "the server among the processes of its directory",
          Duration.ofMinutes(1),
          () -> place.processes().stream().map(ProcessHandle::pid).toList().equals(servers.pids()));
    }
  }

  @Test
  void settingsAreWrittenOneToALine() throws IOException {
    try (PeerServers servers = servers()) {
      Path written = servers.write("conf", Map.of("celeborn.master.http.port", 12_000));
      assertEquals("celeborn.master.http.port 12000\n", Files.readString(written));
    }
  }

  @Test
  void jobsAreToldOfTheClientAndItsServers() {
    Path client = Path.of("client.jar");
    SparkJob job =
        new SparkJob(
            "job", Path.of("job.jar"), "Main", List.of(), Map.of(), List.of(), Duration.ZERO);
    try (PeerServers servers = servers()) {
      servers.setClient(Peer.UNIFFLE, client, Map.of("spark.rss.coordinator.quorum", "a:1"));
      SparkJob through = servers.through(job);
      assertEquals(List.of(client), through.jars());
      assertEquals(
          Map.of(
              "spark.shuffle.manager",
              Peer.UNIFFLE.manager(),
              "spark.rss.coordinator.quorum",
              "a:1"),
          through.settings());
    }
  }
}
