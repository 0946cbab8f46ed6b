package io.sluice.node.wire;

import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.SocketTimeoutException;
import java.net.UnknownHostException;
import java.nio.channels.ServerSocketChannel;
import org.junit.jupiter.api.Test;

class TcpChannelTest extends ChannelContractTest {
  @Override
  ServerSocketChannel listener(int backlog) throws IOException {
    return ChannelPair.tcpListener(backlog);
  }

  @Override
  Class<? extends IOException> queueFull() {
    return SocketTimeoutException.class;
  }

  @Test
  void anUnknownHostIsAnOrdinaryFailure() {
    InetSocketAddress unresolved = InetSocketAddress.createUnresolved("no-such-node", 1);
    UnknownHostException e =
        assertThrows(
            UnknownHostException.class,
            () -> DeadlineChannel.connect(unresolved, ChannelPair.TIMEOUT_MS));
    assertTrue(e.getMessage().contains("no-such-node"), e.getMessage());
  }
}
