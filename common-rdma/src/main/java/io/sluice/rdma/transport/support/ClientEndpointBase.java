package io.sluice.rdma.transport.support;

import io.sluice.rdma.transport.ClientEndpoint;
import io.sluice.rdma.transport.Connection;
import io.sluice.rdma.transport.RegisteredBuffer;
import io.sluice.rdma.transport.TransportCounters;
import io.sluice.rdma.transport.TransportException;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicBoolean;

/**
 * What the reading sides of all providers have alike: they know their connections and landing
 * memory, count both, keep the timer of the reads' deadlines, and close all of it once.
 *
 * <p>Thread contract: safe from any thread. Ownership: see {@link ClientEndpoint}; what a provider
 * opens beside that is closed in {@link #closeRest}.
 *
 * @param <C> the provider's connections
 * @param <B> the provider's landing memory
 */
public abstract class ClientEndpointBase<C extends Connection, B extends RegisteredBuffer>
    implements ClientEndpoint {
  private final String transport;
  private final TransportMeter meter = new TransportMeter();
  private final Deadlines deadlines;
  private final Set<C> connections = ConcurrentHashMap.newKeySet();
  private final Set<B> buffers = ConcurrentHashMap.newKeySet();
  private final AtomicBoolean closed = new AtomicBoolean();

  /**
   * Open, with nothing registered.
   *
   * @param transport its name, for messages and threads
   */
  protected ClientEndpointBase(String transport) {
    this.transport = transport;
    this.deadlines = new Deadlines("sluice-" + transport + "-deadlines");
  }

  /** Takes up landing memory, which says {@link #deregistered} when it is none any more. */
  protected final B registered(B buffer) {
    buffers.add(buffer);
    meter.registered(buffer.lengthBytes());
    return buffer;
  }

  /** Landing memory is none any more; said again, it changes nothing. */
  public final void deregistered(B buffer) {
    if (buffers.remove(buffer)) {
      meter.deregistered(buffer.lengthBytes());
    }
  }

  /**
   * Takes up a connection, which says {@link #ended} when it is none any more; who establishes it
   * counts it.
   */
  protected final C began(C connection) {
    connections.add(connection);
    return connection;
  }

  /** A connection has ended, or never came about; said again, it changes nothing. */
  public final void ended(C connection) {
    connections.remove(connection);
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

  /** Counts what happens to connections and reads. */
  public final TransportMeter meter() {
    return meter;
  }

  /** The timer of the reads' deadlines. */
  public final Deadlines deadlines() {
    return deadlines;
  }

  @Override
  public final TransportCounters counters() {
    return meter.snapshot();
  }

  @Override
  public final void close() {
    if (closed.compareAndSet(false, true)) {
      closeAll();
    }
  }

  /** Closes everything, once, when {@link #isClosed} is true already. */
  protected void closeAll() {
    connections.forEach(Connection::close);
    buffers.forEach(RegisteredBuffer::close);
    closeRest();
    deadlines.close();
  }

  /** Closes what only this provider has; nothing is connected or registered any more. */
  protected abstract void closeRest();
}
