package io.sluice.rdma.transport.support;

import io.sluice.rdma.transport.ClientEndpoint;
import io.sluice.rdma.transport.TransportCounters;
import io.sluice.rdma.transport.TransportException;
import java.util.concurrent.atomic.AtomicBoolean;

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
}
