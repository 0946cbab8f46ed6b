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
 * What the reading sides of all providers have alike: they hold connections and landing memory, and
 * close all of it once.
 *
 * <p>Thread contract: safe from any thread. Ownership: see {@link ClientEndpoint}; what a provider
 * opens beside that is closed in {@link #closeRest}.
 */
public abstract class ClientEndpointBase implements ClientEndpoint {
  private final String transport;
  private final ClientResources holdings;
  private final AtomicBoolean closed = new AtomicBoolean();

  /**
   * Open, with nothing registered.
   *
   * @param transport its name, for messages and threads
   */
  protected ClientEndpointBase(String transport) {
    this.transport = transport;
    this.holdings = new ClientResources(transport);
  }

  /** What this endpoint holds; its connections and landing memory are made with it. */
  protected final ClientResources holdings() {
    return holdings;
  }

  /** Whether {@link #close} was called. */
  protected final boolean isClosed() {
    return closed.get();
  }

  /** Fails once {@link #close} was called. */
  protected final void requireOpen() throws TransportException {
    if (isClosed()) {
      throw new TransportException(transport + ": the client endpoint is closed");
    }
  }

  @Override
  public final TransportCounters counters() {
    return holdings.meter().snapshot();
  }

  @Override
  public final void close() {
    if (closed.compareAndSet(false, true)) {
      closeAll();
    }
  }

  /** Closes everything, once, when {@link #isClosed} is true already. */
  protected void closeAll() {
    holdings.release();
    closeRest();
    holdings.deadlines().close();
  }

  /** Closes what only this provider has; nothing is connected or registered any more. */
  protected abstract void closeRest();

  /**
   * What one reading side holds, and what its connections and landing memory know of it: the list
   * of both, their counters, and the timer of the reads' deadlines.
   *
   * <p>There is one for each endpoint, so a connection and a buffer with the same one belong
   * together. Thread contract: safe from any thread. Ownership: the endpoint closes.
   */
  public static final class ClientResources {
    private final TransportMeter meter = new TransportMeter();
    private final Deadlines deadlines;
    private final Set<Connection> connections = ConcurrentHashMap.newKeySet();
    private final Set<RegisteredBuffer> buffers = ConcurrentHashMap.newKeySet();

    /** Nothing is held yet; {@code transport} names the timer's thread. */
    ClientResources(String transport) {
      this.deadlines = new Deadlines("sluice-" + transport + "-deadlines");
    }

    /** Takes up landing memory, which says {@link #deregistered} when it is none any more. */
    public <B extends RegisteredBuffer> B registered(B buffer) {
      buffers.add(buffer);
      meter.registered(buffer.lengthBytes());
      return buffer;
    }

    /** Landing memory is none any more; said again, it changes nothing. */
    public void deregistered(RegisteredBuffer buffer) {
      if (buffers.remove(buffer)) {
        meter.deregistered(buffer.lengthBytes());
      }
    }

    /**
     * Takes up a connection, which says {@link #ended} when it is none any more; who establishes it
     * counts it.
     */
    public <C extends Connection> C began(C connection) {
      connections.add(connection);
      return connection;
    }

    /** A connection has ended, or never came about; said again, it changes nothing. */
    public void ended(Connection connection) {
      connections.remove(connection);
    }

    /** Counts what happens to connections and reads. */
    public TransportMeter meter() {
      return meter;
    }

    /** The timer of the reads' deadlines. */
    public Deadlines deadlines() {
      return deadlines;
    }

    /** Closes all connections, then all landing memory, whatever becomes of one. */
    void release() {
      Closer.all(
          Stream.concat(
              connections.stream().map(connection -> connection::close),
              buffers.stream().map(buffer -> buffer::close)));
    }
  }

  /** Landing memory that knows the one endpoint whose connections may read into it. */
  public abstract static class EndpointBuffer extends RegisteredBuffer {
    private final ClientResources holdings;

    protected EndpointBuffer(ClientResources holdings, ByteBuffer direct) {
      super(direct);
      this.holdings = holdings;
    }

    /** What the endpoint it is registered with holds. */
    public final ClientResources holdings() {
      return holdings;
    }
  }
}
