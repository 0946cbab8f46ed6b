package io.sluice.rdma.transport.tcp;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.sluice.rdma.transport.MemoryRegion;
import io.sluice.rdma.transport.RegionDescriptor;
import io.sluice.rdma.transport.support.TransportMeter;
import io.sluice.rdma.transport.tcp.TcpRegions.TcpRegion;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import org.junit.jupiter.api.Test;

class TcpRegionsTest {
  private final TransportMeter meter = new TransportMeter();

  /** Else its memory goes to others, once it is tried again, while somebody sends from it. */
  @Test
  void aRegionThatIsSentFromIsNotDeregisteredHoweverOftenItIsTried() throws IOException {
    TcpRegions regions = new TcpRegions(meter, 1, 1);
    RegionDescriptor descriptor =
        regions.register(MemoryRegion.ofMapping(ByteBuffer.allocateDirect(4096)));
    TcpRegion region = regions.find(descriptor.regionId(), descriptor.key());
    InetSocketAddress anyPort = new InetSocketAddress(InetAddress.getLoopbackAddress(), 0);
    try (ServerSocketChannel listener = ServerSocketChannel.open().bind(anyPort);
        SocketChannel sender = SocketChannel.open(listener.getLocalAddress())) {
      assertTrue(region.enter(sender));
      for (int i = 0; i < 2; i++) {
        String message =
            assertThrows(IllegalStateException.class, () -> regions.deregister(descriptor))
                .getMessage();
        assertTrue(message.contains("must not be unmapped"), message);
        assertFalse(region.enter(sender), "it can be read again");
      }
      assertEquals(1, meter.snapshot().registrations());
      region.leave(sender);
      regions.deregister(descriptor);
      regions.deregister(descriptor);
      assertEquals(0, meter.snapshot().registrations());
    }
  }

  /** Else their files and mappings stay until the process ends. */
  @Test
  void oneThatIsSentFromKeepsNoOtherFromBeingDeregistered() throws IOException {
    TcpRegions regions = new TcpRegions(meter, 1, 1);
    RegionDescriptor first = null;
    for (int i = 0; i < 8; i++) {
      RegionDescriptor descriptor =
          regions.register(MemoryRegion.ofMapping(ByteBuffer.allocateDirect(4096)));
      first = first == null ? descriptor : first;
    }
    TcpRegion region = regions.find(first.regionId(), first.key());
    InetSocketAddress anyPort = new InetSocketAddress(InetAddress.getLoopbackAddress(), 0);
    try (ServerSocketChannel listener = ServerSocketChannel.open().bind(anyPort);
        SocketChannel sender = SocketChannel.open(listener.getLocalAddress())) {
      assertTrue(region.enter(sender));
      assertThrows(IllegalStateException.class, regions::deregisterAll);
      assertEquals(1, meter.snapshot().registrations());
      region.leave(sender);
      regions.deregisterAll();
      assertEquals(0, meter.snapshot().registrations());
    }
  }
}
