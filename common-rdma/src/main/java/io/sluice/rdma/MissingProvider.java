package io.sluice.rdma;

import io.sluice.rdma.transport.Admission;
import io.sluice.rdma.transport.ClientEndpoint;
import io.sluice.rdma.transport.ServerEndpoint;
import io.sluice.rdma.transport.TransportException;
import io.sluice.rdma.transport.TransportProvider;
import java.net.InetSocketAddress;
import java.util.Optional;

/**
 * Stands for a transport whose jar is not there, so that its name stays known and whoever asks for
 * it is told what is missing.
 *
 * <p>Thread contract: immutable.
 *
 * @param name of the transport
 * @param cause what is missing, and what to do about it
 */
public record MissingProvider(String name, String cause) implements TransportProvider {
  @Override
  public Optional<String> unavailabilityCause() {
    return Optional.of(cause);
  }

  @Override
  public boolean isConfined() {
    return true; // nothing can be read through it
  }

  @Override
  public ServerEndpoint listen(InetSocketAddress bindAddress, Admission admission)
      throws TransportException {
    throw unavailable();
  }

  @Override
  public ClientEndpoint openClient() throws TransportException {
    throw unavailable();
  }

  private TransportException unavailable() {
    return new TransportException(name + " is not available: " + cause);
  }
}
