package io.sluice.rdma.transport.disni;

import io.sluice.rdma.transport.support.ClientResources;
import io.sluice.rdma.transport.support.EndpointBuffer;
import java.nio.ByteBuffer;

/** Landing memory the NICs know. */
final class DisniRegisteredBuffer extends EndpointBuffer {
  private final DisniRegion region;

  DisniRegisteredBuffer(ClientResources holdings, ByteBuffer direct, DisniRegion region) {
    super(holdings, direct);
    this.region = region;
  }

  int localKey(DisniDevice device) {
    return region.localKey(device);
  }

  @Override
  protected void release() {
    region.deregister();
    holdings().deregistered(this);
  }
}
