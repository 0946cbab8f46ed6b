package io.sluice.rdma.transport.tcp;

import io.sluice.rdma.transport.Admission;
import io.sluice.rdma.transport.ClientEndpoint;
import io.sluice.rdma.transport.ServerEndpoint;
import io.sluice.rdma.transport.TransportException;
import io.sluice.rdma.transport.TransportNames;
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
  private static final long DEFAULT_STALL_LIMIT_MS = 60_000;

  private final long stallLimitMs;

  public TcpProvider() {
    this(DEFAULT_STALL_LIMIT_MS);
  }

  /**
   * @param stallLimitMs how long a client may take no bytes of what it has asked for
   */
  TcpProvider(long stallLimitMs) {
    this.stallLimitMs = stallLimitMs;
  }

  @Override
  public String name() {
    return TransportNames.TCP;
  }

  @Override
  public Optional<String> unavailabilityCause() {
    return Optional.empty();
  }

  @Override
  public boolean isConfined() {
    return true;
  }

  @Override
  public ServerEndpoint listen(InetSocketAddress bindAddress, Admission admission)
      throws TransportException {
    return TcpServerEndpoint.open(bindAddress, admission, stallLimitMs);
  }

  @Override
  public ClientEndpoint openClient() {
    return new TcpClientEndpoint();
  }
}
