package io.sluice.node.client;

import io.sluice.rdma.transport.ClientEndpoint;
import io.sluice.rdma.transport.RegisteredWindows;
import io.sluice.rdma.transport.TransportException;
import io.sluice.rdma.transport.TransportProvider;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * The reading side of the transports that one task may use, each opened when it is first needed,
 * with a bounded pool of windows.
 *
 * <p>Thread contract: safe from any thread. Ownership: the task closes it, after every connection
 * made through it. Failure: {@link TransportException} when a transport cannot be opened; {@link
 * IllegalStateException} on closing with windows out, after all else was closed; it can be closed
 * again when they are back.
 */
public final class Transports implements AutoCloseable {
  private final Map<String, TransportProvider> providers = new LinkedHashMap<>();
  private final Map<String, Opened> opened = new LinkedHashMap<>();
  private final int windowBytes;
  private final long budgetBytes;

  private record Opened(ClientEndpoint endpoint, RegisteredWindows pool) {
    void close() {
      try {
        pool.close();
      } finally {
        endpoint.close();
      }
    }
  }

  /**
   * Nothing is opened yet.
   *
   * @param preferred the providers that work here, best first
   * @param windowBytes size of one read
   * @param budgetBytes memory for windows; a task that has to read over two transports has as much
   *     again for the second
   */
  public Transports(List<TransportProvider> preferred, int windowBytes, long budgetBytes) {
    preferred.forEach(provider -> providers.put(provider.name(), provider));
    this.windowBytes = windowBytes;
    this.budgetBytes = budgetBytes;
  }

  /** Names of the transports, best first. */
  public List<String> names() {
    return List.copyOf(providers.keySet());
  }

  /** Size of one read. */
  public int windowBytes() {
    return windowBytes;
  }

  /** How many windows each transport has. */
  public int windowCount() {
    return (int) Math.max(1, budgetBytes / windowBytes);
  }

  ClientEndpoint endpoint(String name) throws TransportException {
    return open(name).endpoint();
  }

  RegisteredWindows pool(String name) throws TransportException {
    return open(name).pool();
  }

  private synchronized Opened open(String name) throws TransportException {
    Opened result = opened.get(name);
    if (result == null) {
      ClientEndpoint endpoint = providers.get(name).openClient();
      try {
        result = new Opened(endpoint, new RegisteredWindows(endpoint, windowBytes, windowCount()));
      } catch (RuntimeException e) {
        endpoint.close();
        throw e;
      }
      opened.put(name, result);
    }
    return result;
  }

  @Override
  public synchronized void close() {
    RuntimeException failure = null;
    for (Iterator<Opened> each = opened.values().iterator(); each.hasNext(); ) {
      try {
        each.next().close();
        each.remove();
      } catch (RuntimeException e) {
        if (failure == null) {
          failure = e;
        } else {
          failure.addSuppressed(e);
        }
      }
    }
    if (failure != null) {
      throw failure;
    }
  }
}
