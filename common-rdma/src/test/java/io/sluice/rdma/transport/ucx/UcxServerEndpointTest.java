package io.sluice.rdma.transport.ucx;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import com.sun.jna.Pointer;
import io.sluice.rdma.memory.OffHeap;
import io.sluice.rdma.transport.Admission;
import io.sluice.rdma.transport.ClientEndpoint;
import io.sluice.rdma.transport.Connection;
import io.sluice.rdma.transport.ConnectionLimits;
import io.sluice.rdma.transport.FairShare;
import io.sluice.rdma.transport.MemoryRegion;
import io.sluice.rdma.transport.RegionDescriptor;
import io.sluice.rdma.transport.TransportException.ConnectFailedException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.openucx.jucx.ucp.UcpContext;

/** What goes wrong with a server, over UCX's TCP. */
@Timeout(300)
class UcxServerEndpointTest {
  private static final long LONG_MS = 120_000;

  private final InetSocketAddress anyPort =
      new InetSocketAddress(InetAddress.getLoopbackAddress(), 0);
  private final List<ByteBuffer> memory = new ArrayList<>();
  private final List<Pointer> unmapped = new CopyOnWriteArrayList<>();

  @BeforeEach
  void needsUcx() {
    Optional<String> cause = UcxProvider.overTcp().unavailabilityCause();
    assumeTrue(cause.isEmpty(), () -> "UcxServerEndpointTest skipped: " + cause.get());
  }

  @AfterEach
  void freeMemory() {
    memory.forEach(OffHeap::free);
  }

  private MemoryRegion region() {
    ByteBuffer mapping = OffHeap.allocate(4096);
    memory.add(mapping);
    return MemoryRegion.ofMapping(mapping);
  }

  /** Says of what is unmapped first that it was not; UCX ends a process that leaves any. */
  private void unmapAndDenyTheFirst(UcpContext context, Pointer handle) {
    unmapped.add(handle);
    UcpLibrary.unmap(context, handle);
    if (handle.equals(unmapped.get(0))) {
      throw new IllegalStateException("expected by this test");
    }
  }

  private UcxServerEndpoint serverThatFailsToUnmap() throws Exception {
    return UcxServerEndpoint.open(
        UcxSettings.TCP,
        anyPort,
        Admission.open(ConnectionLimits.DEFAULT),
        this::unmapAndDenyTheFirst);
  }

  /** Else its memory goes to others, once it is tried again, while the NIC's key opens it. */
  @Test
  void aRegionThatWasNotUnmappedIsNotDeregisteredHoweverOftenItIsTried() throws Exception {
    try (UcxServerEndpoint server = serverThatFailsToUnmap()) {
      RegionDescriptor descriptor = server.register(region());
      for (int i = 0; i < 3; i++) {
        String message =
            assertThrows(IllegalStateException.class, () -> server.deregister(descriptor))
                .getMessage();
        assertTrue(message.contains("must not be unmapped"), message);
      }
      assertEquals(1, unmapped.size(), "UCX may have freed the handle");
      assertEquals(1, server.counters().registrations());
    }
  }

  @Test
  void oneThatWasNotUnmappedKeepsNoOtherRegisteredAtTheEnd() throws Exception {
    UcxServerEndpoint server = serverThatFailsToUnmap();
    for (int i = 0; i < 8; i++) {
      server.register(region());
    }
    server.close();
    assertEquals(8, Set.copyOf(unmapped).size());
    assertEquals(1, server.counters().registrations());
  }

  @Test
  void aLackOfMemoryForOneClientEndsNobodyElsesConnections() throws Exception {
    AtomicBoolean lacking = new AtomicBoolean();
    Admission admission =
        Admission.expected(
            ConnectionLimits.DEFAULT,
            new FairShare(2),
            () -> {
              if (lacking.get()) {
                throw new OutOfMemoryError("expected by this test");
              }
              return System.nanoTime();
            });
    try (UcxServerEndpoint server = UcxServerEndpoint.open(UcxSettings.TCP, anyPort, admission);
        ClientEndpoint client = UcxProvider.overTcp().openClient()) {
      Set<InetAddress> here = Set.of(InetAddress.getLoopbackAddress());
      admission.expect(null, here).orElseThrow();
      admission.expect(null, here).orElseThrow();
      try (Connection before = client.connect(server.address(), LONG_MS)) {
        lacking.set(true);
        assertThrows(ConnectFailedException.class, () -> client.connect(server.address(), LONG_MS));
        lacking.set(false);
        try (Connection after = client.connect(server.address(), LONG_MS)) {
          assertTrue(before.isOpen());
          assertTrue(after.isOpen());
        }
      }
    }
  }
}
