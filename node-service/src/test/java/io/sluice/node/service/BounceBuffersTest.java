package io.sluice.node.service;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.sluice.node.testing.Await;
import io.sluice.rdma.memory.OffHeap;
import io.sluice.rdma.transport.LeakCheck;
import io.sluice.rdma.transport.ServerEndpoint;
import io.sluice.rdma.transport.tcp.TcpProvider;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
class BounceBuffersTest {
  private static final long LONG_MS = 20_000;

  @Test
  void aSlotThatComesBackGoesToWhoWaits() throws Exception {
    LeakCheck leaks = new LeakCheck();
    try (ServerEndpoint endpoint =
            new TcpProvider().listen(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0));
        BounceBuffers buffers = BounceBuffers.open(endpoint, new BounceConfig(4096, 2))) {
      BounceBuffers.Slot first = buffers.acquire(0);
      BounceBuffers.Slot second = buffers.acquire(0);
      assertEquals(4096, Math.abs(first.offsetBytes() - second.offsetBytes()));
      assertNull(buffers.acquire(1));
      CompletableFuture<BounceBuffers.Slot> third = new CompletableFuture<>();
      Thread waiter = new Thread(() -> third.complete(buffers.acquire(LONG_MS)));
      waiter.start();
      Await.until("it waits", () -> waiter.getState() == Thread.State.TIMED_WAITING);
      first.release();
      BounceBuffers.Slot again = third.get(LONG_MS, TimeUnit.MILLISECONDS);
      assertNotNull(again);
      assertEquals(first.offsetBytes(), again.offsetBytes());
      again.release();
      second.release();
      assertEquals(2, buffers.counters().peakSlotsInUse());
    }
    leaks.check();
  }

  @Test
  void memoryOfASlotThatIsOutIsKept() throws Exception {
    try (ServerEndpoint endpoint =
        new TcpProvider().listen(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0))) {
      long before = OffHeap.allocatedBytes();
      BounceBuffers buffers = BounceBuffers.open(endpoint, new BounceConfig(4096, 2));
      BounceBuffers.Slot slot = buffers.acquire(0);
      IllegalStateException e = assertThrows(IllegalStateException.class, buffers::close);
      assertTrue(e.getMessage().contains("1 of 2 slots"), e.getMessage());
      assertEquals(before + 8192, OffHeap.allocatedBytes());
      slot.release();
      buffers.close();
      buffers.close();
      assertEquals(before, OffHeap.allocatedBytes());
    }
  }

  @Test
  void impossibleSizesAreRefused() {
    assertThrows(IllegalArgumentException.class, () -> new BounceConfig(0, 1));
    assertThrows(IllegalArgumentException.class, () -> new BounceConfig(1, -1));
    assertThrows(IllegalArgumentException.class, () -> new BounceConfig(1 << 20, 2048));
  }
}
