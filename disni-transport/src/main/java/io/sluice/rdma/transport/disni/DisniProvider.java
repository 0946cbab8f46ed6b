package io.sluice.rdma.transport.disni;

import io.sluice.rdma.transport.Admission;
import io.sluice.rdma.transport.ClientEndpoint;
import io.sluice.rdma.transport.ServerEndpoint;
import io.sluice.rdma.transport.TransportException;
import io.sluice.rdma.transport.TransportNames;
import io.sluice.rdma.transport.TransportProvider;
import java.net.InetSocketAddress;
import java.util.Optional;

/**
 * Reads over RDMA, through DiSNI and its native half libdisni: the NIC serves, the remote CPU does
 * not.
 *
 * <p>Unlike {@code ucx} it talks to verbs directly: a deregistered region is really gone, a refused
 * read is told from a lost connection, and nothing is taken over from the JVM. In exchange it knows
 * IPv4 only, and libdisni has to be built by hand (docs/disni.md).
 *
 * <p>Thread contract: safe from any thread; the first question about availability may load
 * libdisni.
 */
public final class DisniProvider implements TransportProvider {
  private final DisniAvailability availability;

  public DisniProvider() {
    this(new DisniAvailability());
  }

  DisniProvider(DisniAvailability availability) {
    this.availability = availability;
  }

  @Override
  public String name() {
    return TransportNames.DISNI;
  }

  @Override
  public Optional<String> unavailabilityCause() {
    return availability.cause();
  }

  @Override
  public boolean isConfined() {
    // Nothing runs for a client here: the NIC looks at keys, of the protection domain alone.
    return true;
  }

  @Override
  public boolean keysCanBeGuessed() {
    return true; // of 32 bits, most of them an index; each endpoint has its protection domains
  }

  @Override
  public ServerEndpoint listen(InetSocketAddress bindAddress, Admission admission)
      throws TransportException {
    checkAvailable();
    return DisniServerEndpoint.open(bindAddress, admission);
  }

  @Override
  public ClientEndpoint openClient() throws TransportException {
    checkAvailable();
    return DisniClientEndpoint.open();
  }

  private void checkAvailable() throws TransportException {
    Optional<String> cause = unavailabilityCause();
    if (cause.isPresent()) {
      throw new TransportException("disni is not available: " + cause.get());
    }
  }
}
