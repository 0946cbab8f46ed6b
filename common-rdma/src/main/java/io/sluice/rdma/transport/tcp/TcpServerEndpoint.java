package io.sluice.rdma.transport.tcp;

import io.sluice.rdma.transport.MemoryRegion;
import io.sluice.rdma.transport.RegionDescriptor;
import io.sluice.rdma.transport.RegistrationException;
import io.sluice.rdma.transport.ServerEndpoint;
import io.sluice.rdma.transport.TransportCounters;
import io.sluice.rdma.transport.TransportException;
import io.sluice.rdma.transport.support.Deadlines;
import io.sluice.rdma.transport.support.TransportMeter;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.StandardSocketOptions;
import java.nio.channels.ServerSocketChannel;
import java.security.SecureRandom;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;

/**
 * Serves regions over TCP: the registry of regions and of connections.
 *
 * <p>Thread contract: safe from any thread; one daemon thread accepts, one per connection serves,
 * one watches for clients that stall. Ownership: the caller closes; that ends all of them.
 */
final class TcpServerEndpoint implements ServerEndpoint {
  private final InetSocketAddress address;
  private final TcpAcceptor acceptor;
  private final Map<Long, TcpRegion> regions = new ConcurrentHashMap<>();
  private final Set<TcpServerConnection> connections = ConcurrentHashMap.newKeySet();
  private final TransportMeter meter = new TransportMeter();
  private final Deadlines stallWatch = new Deadlines("sluice-tcp-stall-watch");
  private final SecureRandom keys = new SecureRandom();
  private final AtomicLong nextRegionId = new AtomicLong(1);
  private final AtomicBoolean closed = new AtomicBoolean();
  private final int maxConnections;

  private TcpServerEndpoint(ServerSocketChannel listener, int maxConnections) throws IOException {
    this.address = (InetSocketAddress) listener.getLocalAddress();
    this.maxConnections = maxConnections;
    this.acceptor = new TcpAcceptor(this, listener);
  }

  static TcpServerEndpoint open(
      InetSocketAddress bindAddress, int maxConnections, long stallLimitMs)
      throws TransportException {
    ServerSocketChannel listener = null;
    try {
      listener = ServerSocketChannel.open();
      listener.setOption(StandardSocketOptions.SO_REUSEADDR, true);
      listener.bind(bindAddress, maxConnections);
      TcpServerEndpoint endpoint = new TcpServerEndpoint(listener, maxConnections);
      endpoint.acceptor.start();
      endpoint.stallWatch.every(
          Math.max(1, stallLimitMs / 4),
          () -> endpoint.connections.forEach(c -> c.shutdownIfStalled(stallLimitMs)));
      return endpoint;
    } catch (IOException e) {
      TransportException failure =
          new TransportException(
              "tcp: cannot listen on "
                  + bindAddress
                  + ": "
                  + e.getMessage()
                  + "; choose an address of this host and a free port",
              e);
      try {
        if (listener != null) {
          listener.close();
        }
      } catch (IOException suppressed) {
        failure.addSuppressed(suppressed);
      }
      throw failure;
    }
  }

  @Override
  public InetSocketAddress address() {
    return address;
  }

  @Override
  public RegionDescriptor register(MemoryRegion memory) throws TransportException {
    checkFileHoldsRegion(memory);
    RegionDescriptor descriptor =
        new RegionDescriptor(
            nextRegionId.getAndIncrement(), keys.nextLong(), memory.lengthBytes(), new byte[0]);
    regions.put(descriptor.regionId(), new TcpRegion(descriptor, memory));
    meter.registered(memory.lengthBytes());
    if (closed.get()) {
      deregister(descriptor);
      throw new TransportException("tcp: server endpoint " + address + " is closed");
    }
    return descriptor;
  }

  @Override
  public void deregister(RegionDescriptor descriptor) {
    TcpRegion region = regions.get(descriptor.regionId());
    if (region != null
        && region.descriptor().equals(descriptor)
        && regions.remove(descriptor.regionId(), region)) {
      meter.deregistered(descriptor.lengthBytes());
      region.retire();
    }
  }

  @Override
  public TransportCounters counters() {
    return meter.snapshot();
  }

  @Override
  public void close() {
    if (!closed.compareAndSet(false, true)) {
      return;
    }
    acceptor.close();
    stallWatch.close();
    connections.forEach(TcpServerConnection::shutdown);
    connections.forEach(TcpServerConnection::awaitEnd);
    regions.values().forEach(region -> deregister(region.descriptor()));
  }

  TransportMeter meter() {
    return meter;
  }

  /** The region of that id if the key is the right one, else null. */
  TcpRegion find(long regionId, long key) {
    TcpRegion region = regions.get(regionId);
    return region != null && region.descriptor().key() == key ? region : null;
  }

  /** Asked by the one accepting thread. */
  boolean isFull() {
    return connections.size() >= maxConnections;
  }

  void admit(TcpServerConnection connection) {
    connections.add(connection);
    if (closed.get()) {
      connection.shutdown();
    }
  }

  void ended(TcpServerConnection connection) {
    connections.remove(connection);
  }

  private static void checkFileHoldsRegion(MemoryRegion memory) throws RegistrationException {
    if (memory.file() == null) {
      return;
    }
    long endBytes = memory.fileOffsetBytes() + memory.lengthBytes();
    try {
      if (memory.file().lengthBytes() < endBytes) {
        throw new RegistrationException(
            "tcp: the file has "
                + memory.file().lengthBytes()
                + " bytes, the region ends at byte "
                + endBytes);
      }
    } catch (RegistrationException e) {
      throw e;
    } catch (IOException e) {
      throw new RegistrationException("tcp: cannot ask the size of the region's file", e);
    }
  }
}
