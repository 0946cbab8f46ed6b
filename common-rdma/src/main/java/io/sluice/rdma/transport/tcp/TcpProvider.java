package io.sluice.rdma.transport.tcp;

import io.sluice.rdma.transport.ClientEndpoint;
import io.sluice.rdma.transport.ServerEndpoint;
import io.sluice.rdma.transport.TransportException;
import io.sluice.rdma.transport.TransportProvider;
import java.net.InetSocketAddress;
import java.util.Optional;

/**
 * Reads over TCP: the provider that works everywhere.
 *
 * <p>Unlike {@code ucx} it needs no native code and pins no memory, the serving CPU takes part in
 * each read, and a region may be a file that was never mapped. Thread contract: safe from any
 * thread.
 */
public final class TcpProvider implements TransportProvider {
  /** Connections a server takes at once unless told otherwise; each costs it one thread. */
  public static final int DEFAULT_MAX_CONNECTIONS = 1024;

  private static final long DEFAULT_STALL_LIMIT_MS = 60_000;

  private final int maxConnections;
  private final long stallLimitMs;

  public TcpProvider() {
    this(DEFAULT_MAX_CONNECTIONS);
  }

  /**
   * @param maxConnections how many connections a server takes at once; more are refused
   */
  public TcpProvider(int maxConnections) {
    this(maxConnections, DEFAULT_STALL_LIMIT_MS);
  }

  TcpProvider(int maxConnections, long stallLimitMs) {
    this.maxConnections = maxConnections;
    this.stallLimitMs = stallLimitMs;
  }

  @Override
  public String name() {
    return "tcp";
  }

  @Override
  public Optional<String> unavailabilityCause() {
    return Optional.empty();
  }

  @Override
  public ServerEndpoint listen(InetSocketAddress bindAddress) throws TransportException {
    return TcpServerEndpoint.open(bindAddress, maxConnections, stallLimitMs);
  }

  @Override
  public ClientEndpoint openClient() {
    return new TcpClientEndpoint();
  }
}
