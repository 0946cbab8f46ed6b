package io.sluice.node.faults;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.sluice.node.service.NodeService;
import io.sluice.node.testing.NodeTestBase;
import io.sluice.rdma.testing.ForkedJvm;
import io.sluice.rdma.transport.tcp.TcpProvider;
import io.sluice.spill.testing.TestPool;
import java.io.IOException;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** A service restarts, and tasks that held leases are stopped, go on, and are killed. */
class QuarantineFaultsTest extends NodeTestBase {
  private void start(boolean recover) throws IOException {
    service = NodeService.start(withDisk(2, new TcpProvider()).recover(recover));
  }

  private long quarantinedBytes() throws IOException {
    task(APP).close(); // whoever comes has the service look
    return service.store().stats().memory().quarantinedBytes();
  }

  private ForkedJvm holder() {
    ForkedJvm holder =
        new ForkedJvm(
            List.of(),
            directory.resolve("holder.log"),
            LeaseHolderMain.class,
            service.metadata().address().socket().toString(),
            APP,
            "secret",
            Long.toString(TestPool.SEGMENT_BYTES),
            access().name());
    holder.awaitLine("leased");
    return holder;
  }

  @Test
  @Timeout(300)
  void whatAStoppedTaskHoldsIsNobodyElsesUntilItIsKilled() throws IOException {
    start(false);
    try (ForkedJvm holder = holder()) {
      holder.stop();
      service.close();
      start(true);
      assertEquals(TestPool.SEGMENT_BYTES, quarantinedBytes());
      service.applicationStopped(APP);
      assertEquals(TestPool.SEGMENT_BYTES, quarantinedBytes());
      holder.goOn();
      assertEquals(TestPool.SEGMENT_BYTES, quarantinedBytes());
      holder.kill();
      assertEquals(0, quarantinedBytes());
    }
  }

  @Test
  @Timeout(300)
  void whatATaskHeldThatWasKilledMeanwhileIsFreeAtOnce() throws IOException {
    start(false);
    try (ForkedJvm holder = holder()) {
      holder.stop(); // so that it does not go with its connection
      service.close();
      holder.kill();
    }
    start(true);
    assertEquals(0, service.store().stats().memory().quarantinedBytes());
  }
}
