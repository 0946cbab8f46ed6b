package io.sluice.rdma.transport.disni;

import io.sluice.rdma.memory.OffHeap;
import io.sluice.rdma.transport.Admission;
import io.sluice.rdma.transport.ConnectionLimits;
import io.sluice.rdma.transport.MemoryRegion;
import io.sluice.rdma.transport.RegionDescriptor;
import io.sluice.rdma.transport.SilentServer;
import io.sluice.rdma.transport.TransportException;
import io.sluice.rdma.transport.disni.DisniProvider.DisniServerEndpoint;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;

/**
 * A server that takes its queue pairs away without a word: the NIC drops what still comes in, as if
 * the wire were cut, and the client's NIC repeats its requests for some seconds.
 */
final class SilentDisniServer implements SilentServer {
  private final ByteBuffer memory = OffHeap.allocate(4096);
  private final DisniServerEndpoint server;
  private final RegionDescriptor descriptor;
  private boolean closed;

  SilentDisniServer(InetSocketAddress bindAddress) throws TransportException {
    server = DisniServerEndpoint.open(bindAddress, Admission.open(ConnectionLimits.DEFAULT));
    descriptor = server.register(MemoryRegion.ofMapping(memory));
  }

  @Override
  public InetSocketAddress address() {
    return server.address();
  }

  @Override
  public RegionDescriptor descriptor() {
    return descriptor;
  }

  @Override
  public void fallSilent() {
    server.fallSilent();
  }

  @Override
  public void close() {
    if (!closed) {
      closed = true;
      server.close();
      OffHeap.free(memory);
    }
  }
}
