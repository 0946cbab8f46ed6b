package io.sluice.rdma.transport.ucx;

import io.sluice.rdma.transport.RegisteredBuffer;
import io.sluice.rdma.transport.TransportException;
import java.nio.ByteBuffer;

/** Landing memory the NIC knows. */
final class UcxRegisteredBuffer extends RegisteredBuffer {
  private final UcxClientEndpoint owner;
  private final UcxRegion region;

  UcxRegisteredBuffer(UcxClientEndpoint owner, ByteBuffer direct, UcxRegion region) {
    super(direct);
    this.owner = owner;
    this.region = region;
  }

  UcxClientEndpoint owner() {
    return owner;
  }

  @Override
  protected void release() {
    try {
      owner
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
    owner.deregistered(this);
  }
}
