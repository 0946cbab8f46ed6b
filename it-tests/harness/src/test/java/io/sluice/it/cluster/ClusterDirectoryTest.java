package io.sluice.it.cluster;

import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ClusterDirectoryTest {
  private static final int CLUSTERS = 300;
  private static final long NO_PROCESS = Integer.MAX_VALUE;

  @TempDir Path clusters;

  /** As when one lane makes and ends clusters while another begins. */
  @Test
  void clustersThatComeAndGoMeanwhileAreTheirOwners() throws Exception {
    CompletableFuture<Void> otherLane =
        CompletableFuture.runAsync(
            () -> {
              for (int i = 0; i < CLUSTERS; i++) {
                ClusterDirectory cluster = ClusterDirectory.create(clusters);
                assertTrue(Files.isDirectory(cluster.logs()), "removed by the other lane");
                cluster.delete();
              }
            });
    do {
      ClusterDirectory.removeLeftovers(clusters);
    } while (!otherLane.isDone());
    otherLane.get(1, TimeUnit.MINUTES);
  }

  /** As when two lanes begin after a run that was killed. */
  @Test
  void leftoversThatAnotherLaneRemovesTooAreGone() throws Exception {
    for (int i = 0; i < 10; i++) {
      for (int j = 0; j < 3; j++) {
        Path left = Files.createDirectories(clusters.resolve("c" + j + "/logs/of/a/job"));
        Files.writeString(left.resolve("syslog"), "done");
        Files.writeString(clusters.resolve("c" + j + "/owner.pid"), Long.toString(NO_PROCESS));
      }
      CompletableFuture<Void> otherLane =
          CompletableFuture.runAsync(() -> ClusterDirectory.removeLeftovers(clusters));
      ClusterDirectory.removeLeftovers(clusters);
      otherLane.get(1, TimeUnit.MINUTES);
      assertFalse(Files.exists(clusters.resolve("c0")), "a leftover is there");
    }
  }

  /** The machine may end between a file's name and its bytes. */
  @Test
  void anOwnerThatCannotBeReadIsGone() throws IOException {
    Path left = Files.createDirectories(clusters.resolve("c1"));
    Files.writeString(left.resolve("owner.pid"), "");
    ClusterDirectory.removeLeftovers(clusters);
    assertFalse(Files.exists(left), "a leftover is there");
  }

  @Test
  void whatItsOwnerGaveUpIsLeftToPeople() {
    ClusterDirectory cluster = ClusterDirectory.create(clusters);
    cluster.giveUp();
    ClusterDirectory.removeLeftovers(clusters);
    assertTrue(Files.isDirectory(cluster.logs()));
  }
}
