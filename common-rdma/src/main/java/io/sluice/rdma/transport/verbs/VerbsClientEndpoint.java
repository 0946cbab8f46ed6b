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
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.file.Path;
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
  private final SocketLoop loop;
  private final VerbsConnector connector;
  private final ReadWriteLock using =
      new ReentrantReadWriteLock(); // only close takes the write lock

  private VerbsClientEndpoint(VerbsDevices devices, SocketLoop loop) {
    super(TransportNames.VERBS);
    this.devices = devices;
    this.loop = loop;
    this.connector = new VerbsConnector(devices, loop, resources().deadlines());
  }

  static VerbsClientEndpoint open(Verbs verbs, Path sysClass) throws TransportException {
    VerbsDevices devices = VerbsDevices.openAll(verbs, sysClass);
    try {
      return open(devices);
    } catch (IOException e) {
      Closer.after(e, devices::close);
      throw new TransportException("verbs: cannot watch sockets: " + ErrorText.of(e), e);
    } catch (RuntimeException | Error e) {
      Closer.after(e, devices::close);
      throw e;
    }
  }

  /** Takes over the devices; if that fails, the caller still owns them. */
  private static VerbsClientEndpoint open(VerbsDevices devices) throws IOException {
    SocketLoop loop = SocketLoop.start("sluice-verbs-client");
    try {
      return new VerbsClientEndpoint(devices, loop);
    } catch (RuntimeException | Error e) { // for want of memory or threads
      Closer.after(e, loop::close);
      throw e;
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
          VerbsRegion.register(devices, direct, direct.capacity(), VerbsLayout.ACCESS_LOCAL_WRITE);
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
    Closer.all(Stream.of(loop::close, devices::close));
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
