package io.sluice.node.probe;

import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.sluice.node.probe.Prober.ProbePlan;
import io.sluice.rdma.testing.ClosedPort;
import io.sluice.rdma.transport.tcp.TcpProvider;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** What a probe says when something else listens at the port, or nothing. */
@Timeout(300)
class NotSluiceTest {
  private static final long TIMEOUT_MS = 120_000;

  private static IOException probe(InetSocketAddress address, long timeoutMs) {
    Prober prober = new Prober(List.of(new TcpProvider()), ProbePlan.STANDARD, timeoutMs);
    IOException e = assertThrows(IOException.class, () -> prober.probe(address));
    assertTrue(e.getMessage().contains(":" + address.getPort() + " "), e.getMessage());
    return e;
  }

  private static ServerSocket listener() throws IOException {
    return new ServerSocket(0, 1, InetAddress.getLoopbackAddress());
  }

  private static InetSocketAddress addressOf(ServerSocket socket) {
    return (InetSocketAddress) socket.getLocalSocketAddress();
  }

  @Test
  void aPortWhereNobodyListens() throws IOException {
    try (ClosedPort closed = new ClosedPort(InetAddress.getLoopbackAddress())) {
      IOException e = probe(closed.address(), TIMEOUT_MS);
      assertTrue(e.getMessage().contains("cannot be reached"), e.getMessage());
    }
  }

  @Test
  void aHostWithoutAnAddress() {
    InetSocketAddress unknown = InetSocketAddress.createUnresolved("no-such-host.invalid", 1);
    IOException e = probe(unknown, TIMEOUT_MS);
    assertTrue(e.getMessage().contains("cannot be resolved"), e.getMessage());
  }

  @Test
  void aServerThatWaitsToBeSpokenTo() throws IOException {
    try (ServerSocket silent = listener()) {
      IOException e = probe(addressOf(silent), 100);
      assertTrue(e.getMessage().contains("did not answer within 100 ms"), e.getMessage());
    }
  }

  @Test
  void aServerThatGreetsOtherwise() throws Exception {
    try (ServerSocket ssh = listener()) {
      IOException e = served(ssh, "SSH-2.0-OpenSSH_9.2p1 Debian-2\r\n");
      assertTrue(e.getMessage().contains("is not a Sluice node service"), e.getMessage());
    }
  }

  @Test
  void aServerThatHangsUp() throws Exception {
    try (ServerSocket rude = listener()) {
      IOException e = served(rude, "");
      assertTrue(e.getMessage().contains("hung up"), e.getMessage());
    }
  }

  private static IOException served(ServerSocket listener, String greeting) throws Exception {
    Thread server =
        new Thread(
            () -> {
              try (Socket socket = listener.accept()) {
                socket.getOutputStream().write(greeting.getBytes(StandardCharsets.US_ASCII));
                socket.shutdownOutput();
                socket.getInputStream().readAllBytes();
              } catch (IOException e) {
                throw new IllegalStateException(e);
              }
            });
    server.start();
    try {
      return probe(addressOf(listener), TIMEOUT_MS);
    } finally {
      server.join(TIMEOUT_MS);
    }
  }
}
