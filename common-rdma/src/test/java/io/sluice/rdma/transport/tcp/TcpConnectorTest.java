package io.sluice.rdma.transport.tcp;

import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.sluice.rdma.transport.TransportException.ConnectFailedException;
import java.io.IOException;
import java.net.InetSocketAddress;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Whose fault it is that a connection does not come about. */
@Timeout(300)
class TcpConnectorTest {
  private static final long LONG_MS = 120_000;

  private static ConnectFailedException connectFails(
      TcpClientEndpoint client, InetSocketAddress peer) {
    return assertThrows(ConnectFailedException.class, () -> client.connect(peer, LONG_MS));
  }

  @Test
  void aPeerThatHangsUpMayBeAskedLater() throws IOException {
    try (TcpClientEndpoint client = new TcpClientEndpoint(1);
        ScriptedServer busy = new ScriptedServer((in, out) -> {})) {
      assertTrue(connectFails(client, busy.address()).isLater());
    }
  }

  /** It has nobody to receive, as when a selector finds no descriptor. */
  @Test
  void aClientThatCannotReceiveIsNoBusyPeer() throws IOException {
    try (TcpClientEndpoint client = new TcpClientEndpoint(1);
        SilentPeers peer = new SilentPeers()) {
      client.closeRest();
      ConnectFailedException told = connectFails(client, peer.address());
      assertFalse(told.isLater());
      assertFalse(told.getMessage().contains("is the Sluice service up"), told.getMessage());
    }
  }
}
