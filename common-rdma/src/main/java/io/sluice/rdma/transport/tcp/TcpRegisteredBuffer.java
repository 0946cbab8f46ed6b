package io.sluice.rdma.transport.tcp;

import io.sluice.rdma.transport.RegisteredBuffer;
import java.nio.ByteBuffer;

/** Landing memory of a TCP client: nothing but the note which endpoint it belongs to. */
final class TcpRegisteredBuffer extends RegisteredBuffer {
  private final TcpClientEndpoint owner;

  TcpRegisteredBuffer(TcpClientEndpoint owner, ByteBuffer direct) {
    super(direct);
    this.owner = owner;
  }

  TcpClientEndpoint owner() {
    return owner;
  }

  @Override
  protected void release() {
    owner.deregistered(this);
  }
}
