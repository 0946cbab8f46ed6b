package io.sluice.node.client;

import io.sluice.rdma.memory.Closer;
import io.sluice.rdma.memory.OpenFilesLimit;
import io.sluice.rdma.transport.ClientEndpoint;
import io.sluice.rdma.transport.RegisteredWindows;
import io.sluice.rdma.transport.TransportException;
import io.sluice.rdma.transport.TransportNames;
import io.sluice.rdma.transport.TransportProvider;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;

/**
 * The reading side of the transports that one task may use, each opened when it is first needed,
 * with a bounded pool of windows.
 *
 * <p>There are no more windows than nodes that the process has open files for, so that no merge
 * reads from more nodes than that.
 *
 * <p>Thread contract: safe from any thread. Ownership: the task closes it, after every connection
 * made through it. Failure: {@link TransportException} when a transport cannot be opened; {@link
 * IllegalStateException} on closing with windows out, after all else was closed; it can be closed
 * again when they are back.
 */
public final class Transports implements AutoCloseable {
  private static final int FEWEST_NODES = 4;

  /** Of a data connection: its socket. */
  private static final int FILES_OF_TCP = 1;

  /**
   * Of a data connection over verbs: its socket, its completion channel and the eventfd that wakes
   * its thread. DiSNI has two, UCX one for all connections. Besides, where the node's service
   * copies, a control connection: its socket, and the two of its selector.
   */
  private static final int FILES_OF_RDMA = 3 + 3;

  private final Map<String, TransportProvider> providers = new LinkedHashMap<>();
  private final Map<String, Opened> opened = new LinkedHashMap<>();
  private final int windowBytes;
  private final int windowCount;
  private final LinkLimit linkLimit;
  private boolean isOneForEachNode;

  private record Opened(ClientEndpoint endpoint, RegisteredWindows pool) {
    void close() {
      Closer.all(Stream.<Runnable>of(pool::close, endpoint::close));
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
    this(preferred, windowBytes, budgetBytes, mostNodes(preferred));
  }

  /**
   * The same with data connections to at most {@code mostNodes}; there are no more windows either.
   */
  public Transports(
      List<TransportProvider> preferred, int windowBytes, long budgetBytes, int mostNodes) {
    preferred.forEach(provider -> providers.put(provider.name(), provider));
    this.windowBytes = windowBytes;
    this.windowCount = (int) Math.max(1, Math.min(budgetBytes / windowBytes, mostNodes));
    this.linkLimit = new LinkLimit(mostNodes);
  }

  /**
   * To how many nodes at a time this process has files for data connections, over any of these
   * transports: they may take half of what it may open besides what it has open now.
   */
  public static int mostNodes(List<TransportProvider> preferred) {
    int filesOfANode =
        preferred.stream()
            .mapToInt(
                provider ->
                    provider.name().equals(TransportNames.TCP) ? FILES_OF_TCP : FILES_OF_RDMA)
            .max()
            .orElse(FILES_OF_TCP);
    return Math.max(FEWEST_NODES, OpenFilesLimit.shareOfRoom(2 * filesOfANode));
  }

  /**
   * Has each node be read over the best transport that it serves, and a read fail if that one does.
   */
  public Transports oneForEachNode() {
    isOneForEachNode = true;
    return this;
  }

  /** Whether no transport takes over from another one at a node. */
  boolean isOneForEachNode() {
    return isOneForEachNode;
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
    return windowCount;
  }

  /** Bounds the nodes that are connected to. */
  LinkLimit linkLimit() {
    return linkLimit;
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
        result = new Opened(endpoint, new RegisteredWindows(endpoint, windowBytes, windowCount));
      } catch (RuntimeException | Error e) {
        Closer.after(e, endpoint::close);
        throw e;
      }
      opened.put(name, result);
    }
    return result;
  }

  @Override
  public synchronized void close() {
    Closer.all(List.copyOf(opened.keySet()).stream().map(name -> () -> close(name)));
  }

  private void close(String name) {
    opened.get(name).close();
    opened.remove(name);
  }
}
