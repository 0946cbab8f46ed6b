package io.sluice.hadoop.task;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.sluice.hadoop.service.SluiceShuffleService;
import io.sluice.hadoop.testing.TestJob;
import io.sluice.node.wire.NodeMetadata;
import io.sluice.node.wire.Timeouts;
import io.sluice.spill.memory.Borrower;
import io.sluice.spill.segment.Owner;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;
import java.util.UUID;
import org.apache.hadoop.yarn.util.AuxiliaryServiceHelper;
import org.junit.jupiter.api.Test;

/** What a task makes of its environment. */
final class NodeLinkTest {
  private static final NodeMetadata RUNNING =
      NodeMetadata.running(
          new Owner(1234),
          new UUID(1, 2),
          Path.of("/pool/control.sock"),
          Path.of("/pool/pool"),
          13563,
          "plain");

  private static final long TIMEOUT_MS = 30_000;

  private static Map<String, String> environment(byte[] metadata) {
    Map<String, String> environment = new HashMap<>();
    AuxiliaryServiceHelper.setServiceDataIntoEnv(
        SluiceShuffleService.NAME, ByteBuffer.wrap(metadata), environment);
    return environment;
  }

  private static void assertFails(Map<String, String> environment, String reason) {
    IOException e = assertThrows(IOException.class, () -> NodeMetadata.find(environment));
    assertTrue(e.getMessage().contains(reason), e.getMessage());
  }

  /** Two classes name it, because a NodeManager must find it without any of Sluice's others. */
  @Test
  void serviceIsCalledTheSameOnBothSides() {
    assertEquals(SluiceShuffleService.NAME, NodeMetadata.AUXILIARY_SERVICE);
  }

  @Test
  void runningService() throws IOException {
    assertEquals(RUNNING, NodeMetadata.find(environment(RUNNING.encode())));
  }

  @Test
  void noService() {
    assertFails(Map.of(), "runs no auxiliary service sluice_shuffle");
  }

  @Test
  void serviceThatSaysNothing() {
    assertFails(environment(new byte[0]), "runs no auxiliary service sluice_shuffle");
  }

  @Test
  void degradedService() {
    assertFails(
        environment(NodeMetadata.degraded("the pool is full of water").encode()),
        "could not start: the pool is full of water");
  }

  @Test
  void serviceOfAnotherRelease() {
    byte[] other = RUNNING.encode();
    other[5]++;
    assertFails(environment(other), "version 4");
  }

  @Test
  void everyCutOfTheMetadataIsNoticed() {
    byte[] whole = RUNNING.encode();
    for (int length = 1; length < whole.length; length++) {
      Map<String, String> cut = environment(java.util.Arrays.copyOf(whole, length));
      assertThrows(IOException.class, () -> NodeMetadata.find(cut));
    }
  }

  /** As on every node where containers are not their NodeManager's. */
  @Test
  void aServiceOfAnotherUserIsCalledThat() throws IOException {
    NodeMetadata notThere =
        NodeMetadata.running(
            new Owner(1234),
            new UUID(1, 2),
            Path.of("/nowhere/control.sock"),
            Path.of("/nowhere"),
            13563,
            "plain");
    assertEquals(
        "this node's Sluice service does not serve this task at /nowhere/control.sock:"
            + " /nowhere is not there (the service is user id 1234's, this task runs as user id "
            + Owner.ofThisProcess()
            + ")",
        connecting(notThere));
    NodeMetadata own =
        NodeMetadata.running(
            Owner.ofThisProcess(),
            notThere.poolId(),
            notThere.address().socket(),
            notThere.pool(),
            13563,
            "plain");
    assertTrue(
        connecting(own).startsWith("this node's Sluice service does not serve this task at /no"),
        connecting(own));
  }

  private static String connecting(NodeMetadata service) {
    return assertThrows(
            IOException.class,
            () ->
                NodeLink.connect(
                    service,
                    TestJob.ID,
                    Borrower.PROCESS,
                    TestJob.SECRET,
                    Timeouts.all(TIMEOUT_MS)))
        .getMessage();
  }
}
