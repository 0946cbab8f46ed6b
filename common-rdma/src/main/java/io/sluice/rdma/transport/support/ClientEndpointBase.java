package io.sluice.rdma.transport.support;

import io.sluice.rdma.memory.Closer;
import io.sluice.rdma.transport.ClientEndpoint;
import io.sluice.rdma.transport.Connection;
import io.sluice.rdma.transport.RegisteredBuffer;
import io.sluice.rdma.transport.TransportCounters;
import io.sluice.rdma.transport.TransportException;
import io.sluice.rdma.transport.support.ClientEndpointBase.ClientResources;
import java.nio.ByteBuffer;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.stream.Stream;

/**
 * Base class of the providers' reading sides: holds connections and registered buffers, and closes
 * all of them once.
 *
 * <p>Thread contract: safe from any thread. Ownership: see {@link ClientEndpoint}; a provider
 * closes its other resources in {@link #closeRest}.
 */
public abstract class ClientEndpointBase implements ClientEndpoint {
  private final String transport;
  private final ClientResources resources;
  private final AtomicBoolean closed = new AtomicBoolean();

  /**
   * Opens the endpoint, with nothing registered.
   *
   * @param transport the transport's name, for messages and threads
   */
  protected ClientEndpointBase(String transport) {
    this.transport = transport;
    this.resources = new ClientResources(transport);
  }

  /** The resources of this endpoint; its connections and buffers are made with them. */
  protected final ClientResources resources() {
    return resources;
  }

  /** Whether {@link #close} was called. */
  protected final boolean isClosed() {
    return closed.get();
  }

  /** Throws once {@link #close} was called. */
  protected final void requireOpen() throws TransportException {
    if (isClosed()) {
      throw new TransportException(transport + ": the client endpoint is closed");
    }
  }

  @Override
  public final TransportCounters counters() {
    return resources.meter().snapshot();
  }

  @Override
  public final void close() {
    if (closed.compareAndSet(false, true)) {
      closeAll();
    }
  }

  /** Closes all resources; called once, when {@link #isClosed} is already true. */
  protected void closeAll() {
    Closer.all(Stream.<Runnable>of(this::releaseAll, resources.deadlines()::close));
  }

  private void releaseAll() {
    resources.release();
    closeRest();
  }

  /** Closes the provider's own resources; nothing is connected or registered then. */
  protected abstract void closeRest();

  /**
   * The resources of one reading side: the list of its connections and registered buffers, their
   * counters, and the timer of the reads' deadlines.
   *
   * <p>Each endpoint has one, so a connection and a buffer with the same one belong together.
   * Thread contract: safe from any thread. Ownership: the endpoint closes it.
   */
  public static final class ClientResources {
    private final TransportMeter meter = new TransportMeter();
    private final Deadlines deadlines;
    private final Set<Connection> connections = ConcurrentHashMap.newKeySet();
    private final Set<RegisteredBuffer> buffers = ConcurrentHashMap.newKeySet();

    /** Holds nothing yet; {@code transport} names the timer's thread. */
    ClientResources(String transport) {
      this.deadlines = new Deadlines("sluice-" + transport + "-deadlines");
    }

    /** Adds a registered buffer, which calls {@link #deregistered} at its end. */
    public <B extends RegisteredBuffer> B registered(B buffer) {
      buffers.add(buffer);
      meter.registered(buffer.lengthBytes());
      return buffer;
    }

    /** Removes a buffer that was deregistered; idempotent. */
    public void deregistered(RegisteredBuffer buffer) {
      if (buffers.remove(buffer)) {
        meter.deregistered(buffer.lengthBytes());
      }
    }

    /**
     * Adds a connection, which calls {@link #ended} at its end. The code that establishes it counts
     * it.
     */
    public <C extends Connection> C began(C connection) {
      connections.add(connection);
      return connection;
    }

    /** Removes a connection that has ended or was not established; idempotent. */
    public void ended(Connection connection) {
      connections.remove(connection);
    }

    /** The counters of connections and reads. */
    public TransportMeter meter() {
      return meter;
    }

    /** The timer of the reads' deadlines. */
    public Deadlines deadlines() {
      return deadlines;
    }

    /** Closes all connections, then all buffers, and goes on after a failure. */
    void release() {
      Closer.all(
          Stream.concat(
              connections.stream().map(connection -> connection::close),
              buffers.stream().map(buffer -> buffer::close)));
    }
  }

  /** A registered buffer of one endpoint, whose connections alone may read into it. */
  public abstract static class EndpointBuffer extends RegisteredBuffer {
    private final ClientResources resources;

    protected EndpointBuffer(ClientResources resources, ByteBuffer direct) {
      super(direct);
      this.resources = resources;
    }

    /** The resources of the endpoint with which it is registered. */
    public final ClientResources resources() {
      return resources;
    }
  }
}
