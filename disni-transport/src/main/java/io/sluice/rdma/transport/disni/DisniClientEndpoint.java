package io.sluice.rdma.transport.disni;

import com.ibm.disni.verbs.IbvMr;
import com.ibm.disni.verbs.RdmaCm;
import com.ibm.disni.verbs.RdmaCmEvent;
import com.ibm.disni.verbs.RdmaCmEvent.EventType;
import com.ibm.disni.verbs.RdmaCmId;
import com.ibm.disni.verbs.RdmaEventChannel;
import io.sluice.rdma.text.ErrorText;
import io.sluice.rdma.transport.Connection;
import io.sluice.rdma.transport.RegisteredBuffer;
import io.sluice.rdma.transport.Ticket;
import io.sluice.rdma.transport.TransportException;
import io.sluice.rdma.transport.TransportException.ConnectFailedException;
import io.sluice.rdma.transport.TransportNames;
import io.sluice.rdma.transport.disni.DisniDevices.DisniDevice;
import io.sluice.rdma.transport.disni.DisniLink.CmEvents;
import io.sluice.rdma.transport.disni.DisniRegion.DisniAddress;
import io.sluice.rdma.transport.support.ClientEndpointBase;
import io.sluice.rdma.transport.support.ClientEndpointBase.ClientResources;
import io.sluice.rdma.transport.support.ClientEndpointBase.EndpointBuffer;
import java.io.IOException;
import java.net.Inet4Address;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Lock;
import java.util.concurrent.locks.ReadWriteLock;
import java.util.concurrent.locks.ReentrantReadWriteLock;
import java.util.function.BooleanSupplier;

/**
 * The reading side over verbs: registered buffers and connections.
 *
 * <p>Thread contract: safe from any thread; each connection has a thread of its own. Ownership: the
 * caller closes.
 */
final class DisniClientEndpoint extends ClientEndpointBase {
  private final DisniDevices devices;
  private final ReadWriteLock using =
      new ReentrantReadWriteLock(); // only close takes the write lock

  private DisniClientEndpoint(DisniDevices devices) {
    super(TransportNames.DISNI);
    this.devices = devices;
  }

  static DisniClientEndpoint open() throws TransportException {
    DisniDevices devices = DisniDevices.openAll();
    try {
      return new DisniClientEndpoint(devices);
    } catch (RuntimeException | Error e) {
      devices.close();
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
      DisniRegion region =
          DisniRegion.register(devices, direct, direct.capacity(), IbvMr.IBV_ACCESS_LOCAL_WRITE);
      return resources().registered(new DisniRegisteredBuffer(resources(), direct, region));
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
          new DisniConnector(devices, remote, timeoutMs, this::isClosed)
              .connect(address, DisniConnection.MAX_OUTSTANDING);
      DisniConnection connection =
          resources().began(new DisniConnection(resources(), remote, link));
      connection.start();
      return connection;
    } finally {
      open.unlock();
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
    using.writeLock().lock(); // attempts to connect give up now
    try {
      super.closeAll();
    } finally {
      using.writeLock().unlock();
    }
  }

  @Override
  protected void closeRest() {
    devices.close();
  }

  /** A buffer to read into that is registered with the NICs. */
  static final class DisniRegisteredBuffer extends EndpointBuffer {
    private final DisniRegion region;

    DisniRegisteredBuffer(ClientResources resources, ByteBuffer direct, DisniRegion region) {
      super(resources, direct);
      this.region = region;
    }

    int localKey(DisniDevice device) {
      return region.localKey(device);
    }

    @Override
    protected void release() {
      region.deregister();
      resources().deregistered(this);
    }
  }

  /**
   * Connects a queue pair within a deadline, on the caller's thread. On failure it destroys all
   * native objects that it made.
   *
   * <p>Thread contract: one thread uses it, once.
   */
  static final class DisniConnector {
    private final DisniDevices devices;
    private final InetSocketAddress remote;
    private final long timeoutMs;
    private final long deadlineNanos;
    private final BooleanSupplier givenUp;
    private RdmaEventChannel channel;
    private RdmaCmId id;
    private DisniQueuePair pair;

    /**
     * Starts the deadline.
     *
     * @param givenUp polled; true ends the attempt
     */
    DisniConnector(
        DisniDevices devices, InetSocketAddress remote, long timeoutMs, BooleanSupplier givenUp) {
      this.devices = devices;
      this.remote = remote;
      this.timeoutMs = timeoutMs;
      this.deadlineNanos = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(timeoutMs);
      this.givenUp = givenUp;
    }

    /** Connects; on failure nothing is left behind. */
    DisniLink connect(Inet4Address address, int maxWorkRequests) throws ConnectFailedException {
      try {
        try {
          channel = RdmaEventChannel.createEventChannel();
          id = channel.createId(RdmaCm.RDMA_PS_TCP);
          id.resolveAddr(null, new InetSocketAddress(address, remote.getPort()), leftMs());
          await(EventType.RDMA_CM_EVENT_ADDR_RESOLVED);
          id.resolveRoute(leftMs());
          await(EventType.RDMA_CM_EVENT_ROUTE_RESOLVED);
          DisniDevice device = devices.of(id);
          pair = DisniQueuePair.create(id, device, maxWorkRequests);
          DisniWorkQueue queue = new DisniWorkQueue(pair);
          id.connect(DisniQueuePair.connectParameters());
          await(EventType.RDMA_CM_EVENT_ESTABLISHED);
          return new DisniLink(channel, id, device, address, queue);
        } catch (IOException | RuntimeException | Error e) {
          abandon();
          throw e;
        }
      } catch (IOException e) {
        throw new ConnectFailedException(
            "disni: cannot connect to "
                + remote
                + " within "
                + timeoutMs
                + " ms: "
                + ErrorText.of(e)
                + "; is the Sluice service up there, listening on an address of its RDMA device?",
            e);
      }
    }

    private void await(EventType wanted) throws IOException {
      while (true) {
        int leftMs = leftMs();
        if (givenUp.getAsBoolean()) {
          throw new IOException("the client endpoint was closed");
        }
        if (leftMs == 0) {
          throw new IOException("no answer; waited for " + wanted);
        }
        RdmaCmEvent event = CmEvents.poll(channel, Math.min(leftMs, CmEvents.SLICE_MS));
        if (event != null) {
          if (CmEvents.type(event) != wanted) {
            throw new IOException(CmEvents.words(CmEvents.type(event)));
          }
          return;
        }
      }
    }

    private int leftMs() {
      long leftMs = TimeUnit.NANOSECONDS.toMillis(deadlineNanos - System.nanoTime());
      return (int) Math.max(0, Math.min(leftMs, Integer.MAX_VALUE));
    }

    private void abandon() throws IOException {
      if (pair != null) {
        pair.destroy(0);
      }
      if (id != null) {
        id.destroyId();
      }
      if (channel != null) {
        channel.destroyEventChannel();
      }
    }
  }
}
