package io.sluice.rdma.transport.ucx;

import io.sluice.rdma.memory.OffHeap;
import io.sluice.rdma.transport.MemoryRegion;
import io.sluice.rdma.transport.RegionDescriptor;
import io.sluice.rdma.transport.SilentServer;
import io.sluice.rdma.transport.TransportException;
import io.sluice.rdma.transport.support.Uninterruptibly;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.util.concurrent.CountDownLatch;

/** A UCX server whose loop hangs, so that UCX's emulation over TCP answers nothing. */
final class StalledUcxServer implements SilentServer {
  private final ByteBuffer memory = OffHeap.allocate(4096);
  private final CountDownLatch dying = new CountDownLatch(1);
  private final UcxServerEndpoint server;
  private final RegionDescriptor descriptor;
  private boolean closed;

  StalledUcxServer(UcxProvider provider, InetSocketAddress bindAddress) throws TransportException {
    server = (UcxServerEndpoint) provider.listen(bindAddress);
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
    server.loop().execute(() -> Uninterruptibly.await(dying, 60_000));
  }

  @Override
  public void close() {
    if (!closed) {
      closed = true;
      // Queued before the loop wakes: it dies without another turn of progress.
      server.loop().execute(server::dropConnections);
      dying.countDown();
      server.close();
      OffHeap.free(memory);
    }
  }
}
