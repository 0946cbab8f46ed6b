package io.sluice.rdma.transport.support;

import io.sluice.rdma.transport.ClientEndpoint;
import io.sluice.rdma.transport.RegisteredBuffer;
import java.nio.ByteBuffer;

/**
 * Landing memory that knows the one endpoint whose connections may read into it.
 *
 * @param <E> the provider's endpoint
 */
public abstract class EndpointBuffer<E extends ClientEndpoint> extends RegisteredBuffer {
  private final E owner;

  protected EndpointBuffer(E owner, ByteBuffer direct) {
    super(direct);
    this.owner = owner;
  }

  /** The endpoint it is registered with. */
  public final E owner() {
    return owner;
  }
}
