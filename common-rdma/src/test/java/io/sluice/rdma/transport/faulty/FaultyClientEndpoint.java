package io.sluice.rdma.transport.faulty;

import io.sluice.rdma.transport.ClientEndpoint;
import io.sluice.rdma.transport.Connection;
import io.sluice.rdma.transport.RegisteredBuffer;
import io.sluice.rdma.transport.Ticket;
import io.sluice.rdma.transport.TransportCounters;
import io.sluice.rdma.transport.TransportException;
import io.sluice.rdma.transport.support.Deadlines;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;

/** A client endpoint whose registrations and reads fail by plan. */
final class FaultyClientEndpoint implements ClientEndpoint {
  private final ClientEndpoint delegate;
  private final FaultSource faults;
  private final Deadlines timer = new Deadlines("sluice-faulty-timer");

  FaultyClientEndpoint(ClientEndpoint delegate, FaultSource faults) {
    this.delegate = delegate;
    this.faults = faults;
  }

  @Override
  public RegisteredBuffer register(ByteBuffer direct) throws TransportException {
    faults.countRegistration();
    return delegate.register(direct);
  }

  @Override
  public Connection connect(InetSocketAddress remote, Ticket ticket, long timeoutMs)
      throws TransportException {
    return new FaultyConnection(delegate.connect(remote, ticket, timeoutMs), faults, timer);
  }

  @Override
  public TransportCounters counters() {
    return delegate.counters();
  }

  @Override
  public void close() {
    delegate.close();
    timer.close();
  }
}
