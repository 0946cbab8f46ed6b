package io.sluice.rdma.transport.support;

import io.sluice.rdma.transport.RegisteredBuffer;
import java.nio.ByteBuffer;

/** Landing memory that knows the one endpoint whose connections may read into it. */
public abstract class EndpointBuffer extends RegisteredBuffer {
  private final ClientResources holdings;

  protected EndpointBuffer(ClientResources holdings, ByteBuffer direct) {
    super(direct);
    this.holdings = holdings;
  }

  /** What the endpoint it is registered with holds. */
  public final ClientResources holdings() {
    return holdings;
  }
}
