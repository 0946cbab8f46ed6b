package io.sluice.rdma.transport.verbs;

import io.sluice.rdma.memory.Closer;
import io.sluice.rdma.text.ErrorText;
import io.sluice.rdma.transport.Connection;
import io.sluice.rdma.transport.RegisteredBuffer;
import io.sluice.rdma.transport.Ticket;
import io.sluice.rdma.transport.TransportException;
import io.sluice.rdma.transport.TransportException.ConnectFailedException;
import io.sluice.rdma.transport.TransportNames;
import io.sluice.rdma.transport.support.ClientEndpointBase;
import io.sluice.rdma.transport.support.ClientEndpointBase.ClientResources;
import io.sluice.rdma.transport.support.ClientEndpointBase.EndpointBuffer;
import java.io.Closeable;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.concurrent.locks.Lock;
import java.util.concurrent.locks.ReadWriteLock;
import java.util.concurrent.locks.ReentrantReadWriteLock;
import java.util.stream.Stream;

/**
 * The reading side over verbs: registered buffers and connections.
 *
 * <p>Its memory is registered for writing by its own NIC only, and its queue pairs let the peer do
 * nothing.
 *
 * <p>Thread contract: safe from any thread; each connection has a thread of its own, one thread
 * watches their sockets, and one takes the events of the devices. Ownership: the caller closes.
 */
final class VerbsClientEndpoint extends ClientEndpointBase {
  private final VerbsDevices devices;
  private final VerbsDomains domains;
  private final SocketLoop loop;
  private final VerbsConnector connector;
  private final ReadWriteLock using =
      new ReentrantReadWriteLock(); // only close takes the write lock

  private VerbsClientEndpoint(VerbsDevices devices, VerbsDomains domains, SocketLoop loop) {
    super(TransportNames.VERBS);
    this.devices = devices;
    this.domains = domains;
    this.loop = loop;
    this.connector = new VerbsConnector(devices, domains, loop, resources().deadlines());
  }

  static VerbsClientEndpoint open(Verbs verbs, Path sysClass) throws TransportException {
    Deque<Closeable> opened = new ArrayDeque<>(); // the last one first
    try {
      VerbsDevices devices = VerbsDevices.openAll(verbs, sysClass);
      opened.push(devices::close);
      VerbsDomains domains = VerbsDomains.allocate(devices);
      opened.push(domains::close);
      SocketLoop loop = SocketLoop.start("sluice-verbs-client");
      opened.push(loop::close);
      return new VerbsClientEndpoint(devices, domains, loop);
    } catch (TransportException | RuntimeException | Error e) {
      Closer.after(e, opened);
      throw e;
    } catch (IOException e) {
      Closer.after(e, opened);
      throw new TransportException("verbs: cannot watch sockets: " + ErrorText.of(e), e);
    }
  }

  @Override
  public RegisteredBuffer register(ByteBuffer direct) throws TransportException {
    if (!direct.isDirect()) {
      throw new IllegalArgumentException("only direct memory can be registered");
    }
    Lock open = lockOpen();
    try {
      VerbsRegion region =
          VerbsRegion.register(domains, direct, direct.capacity(), VerbsLayout.ACCESS_LOCAL_WRITE);
      try {
        return resources().registered(new VerbsRegisteredBuffer(resources(), direct, region));
      } catch (RuntimeException | Error e) { // for want of memory
        Closer.after(e, region::deregister);
        throw e;
      }
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
      throw new ConnectFailedException("verbs: cannot connect to unresolved address " + remote);
    }
    Lock open = lockOpen();
    try {
      VerbsLink link = connector.connect(remote, ticket, timeoutMs);
      VerbsConnection connection = resources().began(connectionOver(link));
      connection.start();
      return connection;
    } catch (TransportException e) {
      throw e;
    } catch (IOException | RuntimeException e) {
      throw new ConnectFailedException(
          "verbs: cannot receive from " + remote + ": " + ErrorText.of(e), e);
    } finally {
      open.unlock();
    }
  }

  /** Takes over the link. */
  private VerbsConnection connectionOver(VerbsLink link) {
    try {
      return new VerbsConnection(resources(), link);
    } catch (RuntimeException | Error e) { // for want of memory
      Closer.after(e, link::close);
      throw e;
    }
  }

  /** The lock for uses of the devices other than by a connection or a buffer. */
  private Lock lockOpen() throws TransportException {
    Lock lock = using.readLock();
    lock.lock();
    try {
      requireOpen();
    } catch (TransportException e) {
      lock.unlock();
      throw e;
    }
    return lock;
  }

  @Override
  protected void closeAll() {
    connector.giveUp(); // attempts to connect fail now
    using.writeLock().lock();
    try {
      super.closeAll();
    } finally {
      using.writeLock().unlock();
    }
  }

  @Override
  protected void closeRest() {
    Closer.all(Stream.of(loop::close, domains::close, devices::close));
  }

  /** A buffer to read into that is registered with the NICs. */
  static final class VerbsRegisteredBuffer extends EndpointBuffer {
    private final VerbsRegion region;

    VerbsRegisteredBuffer(ClientResources resources, ByteBuffer direct, VerbsRegion region) {
      super(resources, direct);
      this.region = region;
    }

    int localKey(VerbsDevice device) {
      return region.localKey(device);
    }

    @Override
    protected void release() {
      region.deregister();
      resources().deregistered(this);
    }
  }
}
