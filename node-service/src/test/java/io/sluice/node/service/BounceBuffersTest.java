package io.sluice.node.service;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.sluice.node.service.BounceBuffers.BounceConfig;
import io.sluice.node.testing.WrappedTcp;
import io.sluice.rdma.memory.OffHeap;
import io.sluice.rdma.testing.Await;
import io.sluice.rdma.transport.Admission;
import io.sluice.rdma.transport.ClientEndpoint;
import io.sluice.rdma.transport.Connection;
import io.sluice.rdma.transport.ConnectionLimits;
import io.sluice.rdma.transport.LeakCheck;
import io.sluice.rdma.transport.RegionDescriptor;
import io.sluice.rdma.transport.RegisteredBuffer;
import io.sluice.rdma.transport.ServerEndpoint;
import io.sluice.rdma.transport.Ticket;
import io.sluice.rdma.transport.TransportException;
import io.sluice.rdma.transport.TransportProvider;
import io.sluice.rdma.transport.tcp.TcpProvider;
import io.sluice.spill.segment.Owner;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.reflect.Proxy;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(300)
class BounceBuffersTest {
  private static final long LONG_MS = 20_000;
  private static final InetAddress HERE = InetAddress.getLoopbackAddress();
  private static final Owner ANN = new Owner(1001);
  private static final Owner BOB = new Owner(1002);

  private static BounceBuffers.Slot acquire(BounceBuffers buffers) {
    try {
      return buffers.acquire(ANN, LONG_MS);
    } catch (TransportException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static OwnerEndpoints endpoints(TransportProvider provider) throws IOException {
    InetSocketAddress address = new InetSocketAddress(HERE, 0);
    return OwnerEndpoints.open(provider, address, ConnectionLimits.DEFAULT, true);
  }

  private static byte[] read(OwnerEndpoints endpoint, Owner owner, RegionDescriptor region)
      throws Exception {
    Ticket ticket = endpoint.expect(owner, owner, Set.of(HERE)).orElseThrow();
    try (ClientEndpoint client = new TcpProvider().openClient();
        RegisteredBuffer window = client.register(ByteBuffer.allocateDirect(4096));
        Connection connection = client.connect(endpoint.address(owner), ticket, 120_000)) {
      connection.read(region, 0, window, 0, 4096, 120_000).join();
      byte[] bytes = new byte[4096];
      window.buffer().get(0, bytes);
      return bytes;
    }
  }

  /** A service goes on without them, for as long as it lives. */
  @Test
  void whatCannotBeRegisteredForLackOfMemoryIsFree() throws Exception {
    long allocatedBytes = OffHeap.allocatedBytes();
    try (OwnerEndpoints endpoint = endpoints(new MemoryForOne())) {
      BounceConfig two = new BounceConfig(4096, 2);
      assertThrows(OutOfMemoryError.class, () -> BounceBuffers.open(endpoint, two));
      assertEquals(0, endpoint.counters().registrations());
    }
    assertEquals(allocatedBytes, OffHeap.allocatedBytes());
  }

  /** Registers one region, and has no memory for what it would say of the next. */
  private static final class MemoryForOne extends WrappedTcp {
    @Override
    public ServerEndpoint listen(InetSocketAddress bindAddress, Admission admission)
        throws TransportException {
      ServerEndpoint below = super.listen(bindAddress, admission);
      return (ServerEndpoint)
          Proxy.newProxyInstance(
              getClass().getClassLoader(),
              new Class<?>[] {ServerEndpoint.class},
              (proxy, method, arguments) -> {
                boolean registers = method.getName().equals("register");
                if (registers && below.counters().registrations() > 0) {
                  throw new OutOfMemoryError("expected by this test");
                }
                return method.invoke(below, arguments);
              });
    }
  }

  /** Hers are slow to give theirs back, or never do. */
  @Test
  void readersOfOneOwnerLeaveSlotsToThoseOfAnother() throws Exception {
    try (OwnerEndpoints endpoint = endpoints(new TcpProvider());
        BounceBuffers buffers = BounceBuffers.open(endpoint, new BounceConfig(4096, 8))) {
      List<BounceBuffers.Slot> anns = new ArrayList<>();
      BounceBuffers.Slot next = buffers.acquire(ANN, 0);
      while (next != null) {
        anns.add(next);
        next = buffers.acquire(ANN, 0);
      }
      assertEquals(6, anns.size(), "three quarters");
      CompletableFuture<BounceBuffers.Slot> waiting =
          CompletableFuture.supplyAsync(() -> acquire(buffers));
      BounceBuffers.Slot bobs = buffers.acquire(BOB, 0);
      assertNotNull(bobs, "free, whoever waits");
      assertFalse(waiting.isDone());
      bobs.release();
      anns.remove(0).release();
      waiting.join().release();
      anns.forEach(BounceBuffers.Slot::release);
    }
  }

  /** Where there is one owner, nobody else comes. */
  @Test
  void oneOwnerAloneHasAllSlots() throws Exception {
    InetSocketAddress address = new InetSocketAddress(HERE, 0);
    try (OwnerEndpoints endpoint =
            OwnerEndpoints.open(new TcpProvider(), address, ConnectionLimits.DEFAULT, false);
        BounceBuffers buffers = BounceBuffers.open(endpoint, new BounceConfig(4096, 4))) {
      List<BounceBuffers.Slot> all = new ArrayList<>();
      for (int i = 0; i < 4; i++) {
        all.add(buffers.acquire(endpoint.own(), 0));
      }
      assertNull(buffers.acquire(endpoint.own(), 0));
      all.forEach(BounceBuffers.Slot::release);
    }
  }

  /** The former key, too, was told to somebody else's reader, who may have kept it. */
  @Test
  void aSlotShowsNothingOfAnotherOwner() throws Exception {
    try (OwnerEndpoints endpoint = endpoints(new TcpProvider());
        BounceBuffers buffers = BounceBuffers.open(endpoint, new BounceConfig(4096, 2))) {
      BounceBuffers.Slot first = buffers.acquire(ANN, 0);
      BounceBuffers.Slot second = buffers.acquire(ANN, 0);
      RegionDescriptor annsKey = first.region();
      first.memory(4096).put(new byte[] {1, 2, 3});
      second.release();
      first.release();
      BounceBuffers.Slot again = buffers.acquire(ANN, 0);
      assertEquals(annsKey, again.region(), "the one that was used last, under its own key");
      BounceBuffers.Slot bobs = buffers.acquire(BOB, 0);
      again.release();
      BounceBuffers.Slot alsoBobs = buffers.acquire(BOB, 0);
      bobs.memory(4096).put(new byte[] {4, 5});
      assertArrayEquals(new byte[4096], read(endpoint, BOB, alsoBobs.region()));
      assertThrows(CompletionException.class, () -> read(endpoint, ANN, annsKey));
      assertEquals(2, endpoint.counters().registrations());
      bobs.release();
      alsoBobs.release();
    }
  }

  @Test
  void aSlotIsRegisteredAtTheEndpointOfWhoHasIt() throws Exception {
    try (OwnerEndpoints endpoint = endpoints(new GuessableTcp());
        BounceBuffers buffers = BounceBuffers.open(endpoint, new BounceConfig(4096, 1))) {
      BounceBuffers.Slot anns = buffers.acquire(ANN, 0);
      anns.memory(4096).put(new byte[] {1, 2, 3});
      assertEquals(3, read(endpoint, ANN, anns.region())[2]);
      assertThrows(CompletionException.class, () -> read(endpoint, endpoint.own(), anns.region()));
      anns.release();
      BounceBuffers.Slot bobs = buffers.acquire(BOB, 0);
      assertArrayEquals(new byte[4096], read(endpoint, BOB, bobs.region()));
      assertTrue(endpoint.expect(ANN, ANN, Set.of(HERE)).isEmpty(), "she has none any more");
      assertEquals(1, endpoint.counters().registrations());
      bobs.release();
    }
  }

  @Test
  void aSlotThatComesBackGoesToWhoWaits() throws Exception {
    LeakCheck leaks = new LeakCheck();
    try (OwnerEndpoints endpoint = endpoints(new TcpProvider());
        BounceBuffers buffers = BounceBuffers.open(endpoint, new BounceConfig(4096, 2))) {
      BounceBuffers.Slot first = buffers.acquire(ANN, 0);
      BounceBuffers.Slot second = buffers.acquire(ANN, 0);
      assertNotEquals(first.region(), second.region());
      assertNull(buffers.acquire(ANN, 1));
      CompletableFuture<BounceBuffers.Slot> third = new CompletableFuture<>();
      Thread waiter = new Thread(() -> third.complete(acquire(buffers)));
      waiter.start();
      Await.until("it waits", () -> waiter.getState() == Thread.State.TIMED_WAITING);
      first.release();
      BounceBuffers.Slot again = third.get(LONG_MS, TimeUnit.MILLISECONDS);
      assertNotNull(again);
      assertEquals(first.region(), again.region());
      again.release();
      second.release();
      assertEquals(2, buffers.counters().peakSlotsInUse());
    }
    leaks.check();
  }

  @Test
  void memoryOfASlotThatIsOutIsKept() throws Exception {
    try (OwnerEndpoints endpoint = endpoints(new TcpProvider())) {
      long before = OffHeap.allocatedBytes();
      BounceBuffers buffers = BounceBuffers.open(endpoint, new BounceConfig(4096, 2));
      BounceBuffers.Slot slot = buffers.acquire(ANN, 0);
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
