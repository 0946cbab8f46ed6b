package io.sluice.it.spark.peer;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.sluice.it.cluster.ClusterException;
import io.sluice.it.spark.SparkDistribution;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class PeerInstallationsTest {
  private static final String CELEBORNS_CLIENT = "spark/celeborn-client-spark-4-shaded_2.13-1.jar";
  private static final String UNIFFLES_CLIENT = "jars/client/spark4/rss-client-spark4-shaded-1.jar";

  @TempDir private Path directory;

  private static SparkDistribution spark(String version) {
    return new SparkDistribution(version, Path.of("spark"), Path.of("java"));
  }

  private Set<Peer> found() {
    return PeerInstallations.in(directory, spark("4.2.0")).peers();
  }

  private String refused(String version) {
    return assertThrows(
            ClusterException.class, () -> PeerInstallations.in(directory, spark(version)))
        .getMessage();
  }

  private void put(String... files) throws IOException {
    for (String file : files) {
      Path path = directory.resolve(file);
      Files.createDirectories(path.getParent());
      Files.createFile(path);
    }
  }

  @Test
  void oneIsFoundWhereItIsUnpacked() throws IOException {
    put(Peer.CELEBORN.mark(), CELEBORNS_CLIENT);
    assertEquals(Set.of(Peer.CELEBORN), found());
  }

  @Test
  void bothAreFoundBelow() throws IOException {
    put("a/" + Peer.CELEBORN.mark(), "a/" + CELEBORNS_CLIENT);
    put("b/" + Peer.UNIFFLE.mark(), "b/" + UNIFFLES_CLIENT, "c/other", "file");
    assertEquals(Set.of(Peer.CELEBORN, Peer.UNIFFLE), found());
  }

  @Test
  void noneIsSaidWithWhatWasLookedFor() {
    String message = refused("4.2.0");
    for (Peer peer : Peer.values()) {
      assertTrue(message.contains(peer.mark() + " of " + peer.title()), message);
    }
  }

  @Test
  void aDirectoryThatIsNotThereIsSaid() {
    Path missing = directory.resolve("missing");
    String message =
        assertThrows(ClusterException.class, () -> PeerInstallations.in(missing, spark("4.2.0")))
            .getMessage();
    assertTrue(message.endsWith(missing.toString()), message);
  }

  @Test
  void twoReleasesOfOneAreRefused() throws IOException {
    put("a/" + Peer.UNIFFLE.mark(), "b/" + Peer.UNIFFLE.mark());
    assertTrue(refused("4.2.0").contains("twice"), refused("4.2.0"));
  }

  @Test
  void aClientForAnotherSparkIsRefusedBeforeAnythingRuns() throws IOException {
    put(Peer.CELEBORN.mark(), CELEBORNS_CLIENT);
    String message = refused("5.0.0");
    assertTrue(message.startsWith("one celeborn-client-spark-5-shaded*.jar is needed"), message);
  }
}
