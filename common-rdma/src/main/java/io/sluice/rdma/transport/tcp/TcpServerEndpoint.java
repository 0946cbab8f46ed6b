package io.sluice.rdma.transport.tcp;

import io.sluice.rdma.memory.OffHeap;
import io.sluice.rdma.transport.Admission;
import io.sluice.rdma.transport.ConnectionLimits;
import io.sluice.rdma.transport.MemoryRegion;
import io.sluice.rdma.transport.RegionDescriptor;
import io.sluice.rdma.transport.RegistrationException;
import io.sluice.rdma.transport.ServerEndpoint;
import io.sluice.rdma.transport.TransportCounters;
import io.sluice.rdma.transport.TransportException;
import io.sluice.rdma.transport.support.Deadlines;
import io.sluice.rdma.transport.support.TransportMeter;
import io.sluice.rdma.transport.support.UnprovedShare;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.StandardSocketOptions;
import java.nio.ByteBuffer;
import java.nio.channels.ServerSocketChannel;
import java.security.SecureRandom;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.IntFunction;

/**
 * Serves regions over TCP: the registry of regions and of connections.
 *
 * <p>Who connects has a short time to show its ticket, in the small share of those who have not;
 * see {@link Admission} for who is let in then.
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
  private final Admission admission;
  private final IntFunction<ByteBuffer> memory;
  private final UnprovedShare<TcpServerConnection> unproved;

  private TcpServerEndpoint(
      ServerSocketChannel listener, Admission admission, IntFunction<ByteBuffer> memory)
      throws IOException {
    this.memory = memory;
    this.address = (InetSocketAddress) listener.getLocalAddress();
    this.admission = admission;
    ConnectionLimits limits = admission.limits();
    this.unproved =
        new UnprovedShare<>(
            limits.maxUnproved(),
            limits.proofTimeoutMs(),
            stallWatch,
            (connection, reason) -> connection.shutdown());
    this.acceptor = new TcpAcceptor(this, listener);
  }

  static TcpServerEndpoint open(
      InetSocketAddress bindAddress, Admission admission, long stallLimitMs)
      throws TransportException {
    return open(bindAddress, admission, stallLimitMs, OffHeap::allocate);
  }

  /** As above, with {@code memory} for what {@link OffHeap#free} frees: a test has it refused. */
  static TcpServerEndpoint open(
      InetSocketAddress bindAddress,
      Admission admission,
      long stallLimitMs,
      IntFunction<ByteBuffer> memory)
      throws TransportException {
    ServerSocketChannel listener = null;
    try {
      listener = ServerSocketChannel.open();
      listener.setOption(StandardSocketOptions.SO_REUSEADDR, true);
      listener.bind(bindAddress, ConnectionLimits.BACKLOG);
      TcpServerEndpoint endpoint = new TcpServerEndpoint(listener, admission, memory);
      endpoint.acceptor.start();
      long idleLimitMs = admission.limits().idleTimeoutMs();
      endpoint.stallWatch.every(
          Math.max(1, Math.min(stallLimitMs, idleLimitMs) / 4),
          () -> endpoint.connections.forEach(c -> c.shutdownIfLate(stallLimitMs, idleLimitMs)));
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

  Admission admission() {
    return admission;
  }

  /** Where its connections have their buffers from. */
  IntFunction<ByteBuffer> memory() {
    return memory;
  }

  /** Its client has shown what lets it in; false if that was too late. */
  boolean proved(TcpServerConnection connection) {
    return unproved.leave(connection);
  }

  void accepted(TcpServerConnection connection, InetAddress from) {
    connections.add(connection);
    unproved.enter(connection, from);
    if (closed.get()) {
      connection.shutdown();
    }
  }

  void ended(TcpServerConnection connection) {
    unproved.leave(connection);
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
