package io.sluice.rdma.transport.faulty;

import io.sluice.rdma.transport.Admission;
import io.sluice.rdma.transport.ClientEndpoint;
import io.sluice.rdma.transport.MemoryRegion;
import io.sluice.rdma.transport.RegionDescriptor;
import io.sluice.rdma.transport.ServerEndpoint;
import io.sluice.rdma.transport.TransportCounters;
import io.sluice.rdma.transport.TransportException;
import io.sluice.rdma.transport.TransportProvider;
import java.net.InetSocketAddress;
import java.util.Map;
import java.util.Optional;

/**
 * Any provider, made to fail as a plan says; it keeps the contract while it does. Print the plan in
 * the test: it is the line that reproduces the failure.
 *
 * <p>Thread contract: as the wrapped provider's.
 */
public final class FaultyProvider implements TransportProvider {
  private final TransportProvider delegate;
  private final FaultSource faults;

  public FaultyProvider(TransportProvider delegate, FaultPlan plan) {
    this.delegate = delegate;
    this.faults = new FaultSource(plan);
  }

  /** How many reads were hit so far, by fault; a fault that never happened is absent. */
  public Map<FaultKind, Integer> injected() {
    return faults.injected();
  }

  @Override
  public String name() {
    return "faulty-" + delegate.name();
  }

  @Override
  public Optional<String> unavailabilityCause() {
    return delegate.unavailabilityCause();
  }

  @Override
  public boolean isConfined() {
    return true;
  }

  @Override
  public ServerEndpoint listen(InetSocketAddress bindAddress, Admission admission)
      throws TransportException {
    return new FaultyServerEndpoint(delegate.listen(bindAddress, admission), faults);
  }

  @Override
  public ClientEndpoint openClient() throws TransportException {
    return new FaultyClientEndpoint(delegate.openClient(), faults);
  }

  private record FaultyServerEndpoint(ServerEndpoint delegate, FaultSource faults)
      implements ServerEndpoint {
    @Override
    public InetSocketAddress address() {
      return delegate.address();
    }

    @Override
    public RegionDescriptor register(MemoryRegion region) throws TransportException {
      faults.countRegistration();
      return delegate.register(region);
    }

    @Override
    public void deregister(RegionDescriptor descriptor) {
      delegate.deregister(descriptor);
    }

    @Override
    public TransportCounters counters() {
      return delegate.counters();
    }

    @Override
    public void close() {
      delegate.close();
    }
  }
}
