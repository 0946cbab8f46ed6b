package io.sluice.rdma.transport.ucx;

import io.sluice.rdma.transport.TransportException;
import io.sluice.rdma.transport.support.EndpointBuffer;
import java.nio.ByteBuffer;

/** Landing memory the NIC knows. */
final class UcxRegisteredBuffer extends EndpointBuffer<UcxClientEndpoint> {
  private final UcxRegion region;

  UcxRegisteredBuffer(UcxClientEndpoint owner, ByteBuffer direct, UcxRegion region) {
    super(owner, direct);
    this.region = region;
  }

  @Override
  protected void release() {
    try {
      owner()
          .loop()
          .call(
              "deregistering a buffer",
              () -> {
                region.deregister();
                return null;
              });
    } catch (TransportException e) {
      throw new IllegalStateException(e.getMessage() + "; the memory must not be freed", e);
    }
    owner().deregistered(this);
  }
}
