package io.sluice.rdma.transport.disni;

import io.sluice.rdma.transport.support.EndpointBuffer;
import java.nio.ByteBuffer;

/** Landing memory the NICs know. */
final class DisniRegisteredBuffer extends EndpointBuffer<DisniClientEndpoint> {
  private final DisniRegion region;

  DisniRegisteredBuffer(DisniClientEndpoint owner, ByteBuffer direct, DisniRegion region) {
    super(owner, direct);
    this.region = region;
  }

  int localKey(DisniDevice device) {
    return region.localKey(device);
  }

  @Override
  protected void release() {
    region.deregister();
    owner().deregistered(this);
  }
}
