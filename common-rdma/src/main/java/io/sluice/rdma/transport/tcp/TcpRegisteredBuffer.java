package io.sluice.rdma.transport.tcp;

import io.sluice.rdma.transport.support.ClientResources;
import io.sluice.rdma.transport.support.EndpointBuffer;
import java.nio.ByteBuffer;

/** Landing memory of a TCP client: nothing but the note which endpoint it belongs to. */
final class TcpRegisteredBuffer extends EndpointBuffer {
  TcpRegisteredBuffer(ClientResources holdings, ByteBuffer direct) {
    super(holdings, direct);
  }

  @Override
  protected void release() {
    holdings().deregistered(this);
  }
}
