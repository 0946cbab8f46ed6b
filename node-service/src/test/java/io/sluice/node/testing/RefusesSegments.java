package io.sluice.node.testing;

import io.sluice.rdma.transport.Admission;
import io.sluice.rdma.transport.MemoryRegion;
import io.sluice.rdma.transport.RegionDescriptor;
import io.sluice.rdma.transport.ServerEndpoint;
import io.sluice.rdma.transport.TransportCounters;
import io.sluice.rdma.transport.TransportException;
import io.sluice.rdma.transport.TransportException.RegistrationException;
import java.net.InetSocketAddress;
import java.util.function.Predicate;

/**
 * tcp under the name "rdma" that registers memory, but nothing that a file is behind: as a NIC does
 * with fs-DAX.
 */
public final class RefusesSegments extends WrappedTcp {
  private final Predicate<MemoryRegion> refused;

  /**
   * A provider, and all of its endpoints.
   *
   * @param refusesMemory whether it registers no memory either, as with a memlock limit that is
   *     used up
   */
  public RefusesSegments(boolean refusesMemory) {
    this(region -> region.file() != null || region.reader() != null || refusesMemory);
  }

  /** The same that refuses other regions. */
  public RefusesSegments(Predicate<MemoryRegion> refused) {
    this.refused = refused;
  }

  @Override
  public String name() {
    return "rdma";
  }

  @Override
  public ServerEndpoint listen(InetSocketAddress bindAddress, Admission admission)
      throws TransportException {
    return new Endpoint(super.listen(bindAddress, admission), refused);
  }

  private record Endpoint(ServerEndpoint delegate, Predicate<MemoryRegion> refused)
      implements ServerEndpoint {
    @Override
    public InetSocketAddress address() {
      return delegate.address();
    }

    @Override
    public RegionDescriptor register(MemoryRegion region) throws TransportException {
      if (refused.test(region)) {
        throw new RegistrationException("cannot be pinned, expected by this test");
      }
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
