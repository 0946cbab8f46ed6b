package io.sluice.node.wire;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.sluice.rdma.testing.TestSeed;
import io.sluice.spill.segment.Owner;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Random;
import java.util.UUID;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.NullSource;
import org.junit.jupiter.params.provider.ValueSource;

class NodeMetadataTest {
  private final NodeMetadata running =
      NodeMetadata.running(
          new Owner(1234),
          UUID.randomUUID(),
          Path.of("/dev/shm/sluice/control.sock"),
          Path.of("/dev/dax0.0"),
          13563,
          "emulated:10.0:plain");

  @Test
  void aRunningServiceComesBack() throws IOException {
    NodeMetadata decoded = NodeMetadata.decode(running.encode());
    assertEquals(running, decoded);
    assertTrue(decoded.isRunning());
  }

  @Test
  void aDegradedServiceComesBackWithItsReason() throws IOException {
    NodeMetadata decoded = NodeMetadata.decode(NodeMetadata.degraded("port in use").encode());
    assertFalse(decoded.isRunning());
    assertEquals("port in use", decoded.degradedReason());
  }

  @ParameterizedTest
  @NullSource
  @ValueSource(strings = "")
  void aDegradedServiceWithoutReasonIsNoRunningOne(String reason) throws IOException {
    assertFalse(NodeMetadata.decode(NodeMetadata.degraded(reason).encode()).isRunning());
  }

  @Test
  void aLongReasonIsCutAndStillReadable() throws IOException {
    NodeMetadata decoded = NodeMetadata.decode(NodeMetadata.degraded("短".repeat(9999)).encode());
    assertFalse(decoded.isRunning());
    assertTrue(decoded.degradedReason().startsWith("短短"));
  }

  @Test
  void anotherVersionIsRefused() {
    byte[] bytes = running.encode();
    bytes[5]++;
    ProtocolException e = assertThrows(ProtocolException.class, () -> NodeMetadata.decode(bytes));
    assertTrue(e.getMessage().contains("version 4"), e.getMessage());
  }

  @Test
  void whatIsCutShortIsRefused() {
    byte[] bytes = running.encode();
    for (int i = 0; i < bytes.length; i++) {
      byte[] cut = Arrays.copyOf(bytes, i);
      assertThrows(ProtocolException.class, () -> NodeMetadata.decode(cut));
    }
  }

  @Test
  void garbageIsRefused() {
    Random random = TestSeed.random();
    byte[] head = Arrays.copyOf(running.encode(), 6);
    for (int i = 0; i < 1000; i++) {
      byte[] garbage = new byte[random.nextInt(200)];
      random.nextBytes(garbage);
      if (i % 2 == 0) { // of the right magic and version, of a state that does not exist
        System.arraycopy(head, 0, garbage, 0, Math.min(head.length, garbage.length));
        if (garbage.length > 6) {
          garbage[6] = 3;
        }
      }
      assertThrows(ProtocolException.class, () -> NodeMetadata.decode(garbage));
    }
  }
}
