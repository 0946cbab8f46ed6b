package io.sluice.rdma.transport.disni;

import com.ibm.disni.verbs.IbvMr;
import io.sluice.rdma.transport.ClientEndpoint;
import io.sluice.rdma.transport.ConnectFailedException;
import io.sluice.rdma.transport.Connection;
import io.sluice.rdma.transport.RegisteredBuffer;
import io.sluice.rdma.transport.Ticket;
import io.sluice.rdma.transport.TransportCounters;
import io.sluice.rdma.transport.TransportException;
import io.sluice.rdma.transport.support.Deadlines;
import io.sluice.rdma.transport.support.TransportMeter;
import java.net.Inet4Address;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.locks.Lock;
import java.util.concurrent.locks.ReadWriteLock;
import java.util.concurrent.locks.ReentrantReadWriteLock;

/**
 * The reading side over verbs.
 *
 * <p>Thread contract: safe from any thread; each connection has a thread of its own. Ownership: the
 * caller closes.
 */
final class DisniClientEndpoint implements ClientEndpoint {
  private final DisniDevices devices;
  private final TransportMeter meter = new TransportMeter();
  private final Deadlines deadlines = new Deadlines("sluice-disni-deadlines");
  private final Set<DisniConnection> connections = ConcurrentHashMap.newKeySet();
  private final Set<DisniRegisteredBuffer> buffers = ConcurrentHashMap.newKeySet();
  private final AtomicBoolean closed = new AtomicBoolean();
  private final ReadWriteLock using = new ReentrantReadWriteLock(); // written to by close only

  private DisniClientEndpoint(DisniDevices devices) {
    this.devices = devices;
  }

  static DisniClientEndpoint open() throws TransportException {
    return new DisniClientEndpoint(DisniDevices.openAll());
  }

  @Override
  public RegisteredBuffer register(ByteBuffer direct) throws TransportException {
    if (!direct.isDirect()) {
      throw new IllegalArgumentException("only direct memory can be registered");
    }
    Lock open = lockOpen();
    try {
      DisniRegion region =
          DisniRegion.register(devices, direct, direct.capacity(), IbvMr.IBV_ACCESS_LOCAL_WRITE);
      DisniRegisteredBuffer buffer = new DisniRegisteredBuffer(this, direct, region);
      buffers.add(buffer);
      meter.registered(buffer.lengthBytes());
      return buffer;
    } finally {
      open.unlock();
    }
  }

  @Override
  public Connection connect(InetSocketAddress remote, Ticket ticket, long timeoutMs)
      throws TransportException {
    if (timeoutMs <= 0) {
      throw new IllegalArgumentException("connect timeout must be positive, is " + timeoutMs);
    }
    if (remote.isUnresolved()) {
      throw new ConnectFailedException("disni: cannot connect to unresolved address " + remote);
    }
    Inet4Address address = DisniAddress.ipv4(remote.getAddress());
    Lock open = lockOpen();
    try {
      DisniLink link =
          new DisniConnector(devices, remote, timeoutMs, closed::get)
              .connect(address, DisniConnection.MAX_OUTSTANDING);
      DisniConnection connection = new DisniConnection(this, remote, link);
      connections.add(connection);
      connection.start();
      return connection;
    } finally {
      open.unlock();
    }
  }

  /** Held while the devices are in use otherwise than by a connection or a buffer. */
  private Lock lockOpen() throws TransportException {
    Lock lock = using.readLock();
    lock.lock();
    if (closed.get()) {
      lock.unlock();
      throw new TransportException("disni: the client endpoint is closed");
    }
    return lock;
  }

  @Override
  public TransportCounters counters() {
    return meter.snapshot();
  }

  @Override
  public void close() {
    if (closed.compareAndSet(false, true)) {
      using.writeLock().lock(); // whoever is connecting gives up now
      try {
        connections.forEach(DisniConnection::close);
        buffers.forEach(DisniRegisteredBuffer::close);
        devices.close();
        deadlines.close();
      } finally {
        using.writeLock().unlock();
      }
    }
  }

  TransportMeter meter() {
    return meter;
  }

  Deadlines deadlines() {
    return deadlines;
  }

  void ended(DisniConnection connection) {
    connections.remove(connection);
  }

  void deregistered(DisniRegisteredBuffer buffer) {
    buffers.remove(buffer);
    meter.deregistered(buffer.lengthBytes());
  }
}
