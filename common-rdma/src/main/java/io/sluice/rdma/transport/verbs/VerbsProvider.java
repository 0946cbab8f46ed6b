package io.sluice.rdma.transport.verbs;

import io.sluice.rdma.memory.LockedMemoryLimit;
import io.sluice.rdma.transport.Admission;
import io.sluice.rdma.transport.ClientEndpoint;
import io.sluice.rdma.transport.ServerEndpoint;
import io.sluice.rdma.transport.TransportException;
import io.sluice.rdma.transport.TransportNames;
import io.sluice.rdma.transport.TransportProvider;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.function.Supplier;

/**
 * Reads over RDMA, through libibverbs: the NIC serves, the remote CPU does not.
 *
 * <p>Unlike {@code ucx} and {@code disni} it needs nothing but rdma-core, and no RDMA port listens:
 * the queue pairs are connected over a TCP connection that shows a ticket. It supports InfiniBand
 * and RoCE, IPv4 and IPv6.
 *
 * <p>Thread contract: safe from any thread; the first call of {@link #unavailabilityCause} may load
 * libibverbs.
 */
public final class VerbsProvider implements TransportProvider {
  private final Supplier<Verbs> verbs; // asked where there is a device: it may load libibverbs
  private final Path sysClass;
  private final VerbsAvailability availability;
  private final VerbsNetwork network;
  private final List<InetAddress> rails; // beside the address to bind

  public VerbsProvider() {
    this(VerbsNetwork.DEFAULT);
  }

  /** A provider whose servers use these settings; its clients use those of their servers. */
  public VerbsProvider(VerbsNetwork network) {
    this(
        LibVerbs::new,
        Path.of("/sys/class"),
        new VerbsAvailability(
            Path.of("/sys/class"), Path.of("/dev/infiniband"), new LockedMemoryLimit()),
        network,
        List.of());
  }

  VerbsProvider(
      Supplier<Verbs> verbs,
      Path sysClass,
      VerbsAvailability availability,
      VerbsNetwork network,
      List<InetAddress> rails) {
    this.verbs = verbs;
    this.sysClass = sysClass;
    this.availability = availability;
    this.network = network;
    this.rails = List.copyOf(rails);
  }

  @Override
  public String name() {
    return TransportNames.VERBS;
  }

  @Override
  public Optional<String> unavailabilityCause() {
    return availability.cause(verbs);
  }

  @Override
  public boolean isConfined() {
    // No code runs for a client: the NIC checks keys, and only those of the protection domain.
    return true;
  }

  @Override
  public boolean keysCanBeGuessed() {
    return true; // they have 32 bits, mostly an index; each endpoint has its own protection domains
  }

  @Override
  public TransportProvider withRails(List<InetAddress> further) {
    return new VerbsProvider(verbs, sysClass, availability, network, further);
  }

  @Override
  public ServerEndpoint listen(InetSocketAddress bindAddress, Admission admission)
      throws TransportException {
    checkAvailable();
    return VerbsServerEndpoint.open(verbs.get(), sysClass, bindAddress, rails, admission, network);
  }

  @Override
  public ServerEndpoint listenBeside(ServerEndpoint first, Admission admission)
      throws TransportException {
    return ((VerbsServerEndpoint) first).beside(admission);
  }

  @Override
  public ClientEndpoint openClient() throws TransportException {
    checkAvailable();
    return VerbsClientEndpoint.open(verbs.get(), sysClass);
  }

  private void checkAvailable() throws TransportException {
    Optional<String> cause = unavailabilityCause();
    if (cause.isPresent()) {
      throw new TransportException("verbs is not available: " + cause.get());
    }
  }
}
