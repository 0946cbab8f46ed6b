package io.sluice.node.wire;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.sluice.spill.segment.Owner;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Base64;
import java.util.Map;
import java.util.UUID;
import org.junit.jupiter.api.Test;

/** What a container makes of its environment. */
class NodeMetadataInEnvironmentTest {
  private static final NodeMetadata RUNNING =
      NodeMetadata.running(
          new Owner(1234),
          new UUID(1, 2),
          Path.of("/pool/control.sock"),
          Path.of("/pool/pool"),
          13563,
          "plain");

  private static Map<String, String> environment(byte[] metadata) {
    return Map.of("NM_AUX_SERVICE_sluice_shuffle", Base64.getEncoder().encodeToString(metadata));
  }

  @Test
  void aServiceThatWorksIsFound() throws IOException {
    assertEquals(RUNNING, NodeMetadata.find(environment(RUNNING.encode())));
  }

  @Test
  void whatIsNoneIsAnErrorThatSaysWhy() {
    assertNotFound("runs no auxiliary service sluice_shuffle", Map.of());
    assertNotFound("runs no auxiliary service sluice_shuffle", environment(new byte[0]));
    assertNotFound("is not of Sluice", Map.of("NM_AUX_SERVICE_sluice_shuffle", "!"));
    assertNotFound("no room", environment(NodeMetadata.degraded("no room").encode()));
  }

  @Test
  void oneOfAnotherReleaseIsRefusedAsSuch() {
    byte[] other = RUNNING.encode();
    other[5]++;
    assertInstanceOf(ProtocolException.class, assertNotFound("version 4", environment(other)));
  }

  private static IOException assertNotFound(String why, Map<String, String> environment) {
    IOException e = assertThrows(IOException.class, () -> NodeMetadata.find(environment));
    assertTrue(e.getMessage().contains(why), e.getMessage());
    return e;
  }
}
