package io.sluice.rdma.transport.verbs;

import io.sluice.rdma.memory.OffHeap;
import io.sluice.rdma.transport.MemoryRegion;
import io.sluice.rdma.transport.RegionDescriptor;
import io.sluice.rdma.transport.SilentServer;
import io.sluice.rdma.transport.TransportException;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;

/**
 * A server that takes its queue pairs away without a word: the NIC drops what still comes in, as if
 * the wire were cut, and the client's NIC repeats its requests for some seconds.
 */
final class SilentVerbsServer implements SilentServer {
  private final ByteBuffer memory = OffHeap.allocate(4096);
  private final VerbsServerEndpoint server;
  private final RegionDescriptor descriptor;
  private boolean closed;

  SilentVerbsServer(VerbsProvider provider, InetSocketAddress bindAddress)
      throws TransportException {
    server = (VerbsServerEndpoint) provider.listen(bindAddress);
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
