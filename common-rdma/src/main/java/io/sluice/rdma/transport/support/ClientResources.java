package io.sluice.rdma.transport.support;

import io.sluice.rdma.memory.Closer;
import io.sluice.rdma.transport.Connection;
import io.sluice.rdma.transport.RegisteredBuffer;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.Stream;

/**
 * What one reading side holds, and what its connections and landing memory know of it: the list of
 * both, their counters, and the timer of the reads' deadlines.
 *
 * <p>There is one for each endpoint, so a connection and a buffer with the same one belong
 * together. Thread contract: safe from any thread. Ownership: the endpoint closes.
 */
public final class ClientResources {
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
