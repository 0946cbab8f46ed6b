package io.sluice.rdma.transport.ucx;

import io.sluice.rdma.transport.TransportException;
import io.sluice.rdma.transport.support.ClientResources;
import io.sluice.rdma.transport.support.EndpointBuffer;
import java.nio.ByteBuffer;

/** Landing memory the NIC knows. */
final class UcxRegisteredBuffer extends EndpointBuffer {
  private final UcxLoop loop;
  private final UcxRegion region;

  UcxRegisteredBuffer(ClientResources holdings, UcxLoop loop, ByteBuffer direct, UcxRegion region) {
    super(holdings, direct);
    this.loop = loop;
    this.region = region;
  }

  @Override
  protected void release() {
    try {
      loop.call(
          "deregistering a buffer",
          () -> {
            region.deregister();
            return null;
          });
    } catch (TransportException e) {
      throw new IllegalStateException(e.getMessage() + "; the memory must not be freed", e);
    }
    holdings().deregistered(this);
  }
}
