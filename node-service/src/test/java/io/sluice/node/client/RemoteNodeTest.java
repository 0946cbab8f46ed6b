package io.sluice.node.client;

import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;

import io.sluice.node.remote.BounceSlots.BounceRequest;
import io.sluice.node.wire.NodeAddress;
import io.sluice.node.wire.Timeouts;
import java.util.List;
import java.util.concurrent.RejectedExecutionException;
import org.junit.jupiter.api.Test;

/** What bounces is made when something is bounced. */
final class RemoteNodeTest {
  private final RemoteNode node =
      new RemoteNode(
          NodeAddress.ofService("localhost", 1),
          "",
          null,
          new Transports(List.of(), 1, 1),
          null,
          new ReadStats(),
          Timeouts.all(1),
          asked -> {});

  private void assertRefuses() {
    BounceRequest wanted = new BounceRequest("tcp", "output", 0, 0, 0, 1, 0);
    BounceRead read = new BounceRead(wanted, null, 1);
    assertThrows(RejectedExecutionException.class, () -> node.bounceReads().start(read));
    assertFalse(node.isConnected());
  }

  @Test
  void refusesWhatIsBouncedOnlyAfterItsEnd() {
    node.closeIdle();
    node.close();
    assertRefuses();
  }

  @Test
  void endsWhatBounces() {
    assertSame(node.bounceReads(), node.bounceReads());
    node.close();
    assertRefuses();
    node.close();
  }
}
