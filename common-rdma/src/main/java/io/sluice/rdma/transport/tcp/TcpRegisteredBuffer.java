package io.sluice.rdma.transport.tcp;

import io.sluice.rdma.transport.support.EndpointBuffer;
import java.nio.ByteBuffer;

/** Landing memory of a TCP client: nothing but the note which endpoint it belongs to. */
final class TcpRegisteredBuffer extends EndpointBuffer<TcpClientEndpoint> {
  TcpRegisteredBuffer(TcpClientEndpoint owner, ByteBuffer direct) {
    super(owner, direct);
  }

  @Override
  protected void release() {
    owner().deregistered(this);
  }
}
