package io.sluice.node.client;

import io.sluice.node.testing.WrappedTcp;
import io.sluice.rdma.transport.ClientEndpoint;
import io.sluice.rdma.transport.RegisteredBuffer;
import io.sluice.rdma.transport.TransportException.RegistrationException;
import java.nio.ByteBuffer;

/** A transport whose readers may pin nothing, as with an RLIMIT_MEMLOCK that is too low. */
final class BrokenRegistration extends WrappedTcp {
  @Override
  public String name() {
    return "broken";
  }

  @Override
  protected RegisteredBuffer register(ClientEndpoint below, ByteBuffer direct)
      throws RegistrationException {
    throw new RegistrationException("cannot pin, expected by this test");
  }
}
