package io.sluice.rdma.transport;

import static org.junit.jupiter.api.Assertions.assertThrows;

import io.sluice.rdma.transport.TransportException.ConnectFailedException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestReporter;

/** The contract over a real RDMA device, which must have seen every byte that a test reads. */
public abstract class RdmaContractTest extends TransportContractTest {
  private final DeviceCounters counters = new DeviceCounters();
  private TestReporter reporter;

  @BeforeEach
  void reportTo(TestReporter reporter) {
    this.reporter = reporter;
  }

  @Override
  protected InetSocketAddress bindAddress() {
    return new InetSocketAddress(RdmaAddress.find(), 0);
  }

  @Test
  void aHostThatDoesNotAnswerEndsTheConnectByItsDeadline() throws Exception {
    byte[] neighbour = bindAddress().getAddress().getAddress();
    neighbour[neighbour.length - 1] ^= 0x40;
    ClientEndpoint client = closing(provider().openClient());
    InetSocketAddress nobody = new InetSocketAddress(InetAddress.getByAddress(neighbour), 9);
    assertThrows(ConnectFailedException.class, () -> client.connect(nobody, 1_000));
  }

  @Override
  protected void verifyTheWayOf(long bytesRead) {
    counters.assertReceived(bytesRead);
    reporter.publishEntry("verbs", counters.since(bytesRead));
  }

  @Override
  protected int connectCount() {
    return 30;
  }
}
