package io.sluice.rdma.transport.ucx;

import io.sluice.rdma.memory.LockedMemoryLimit;
import io.sluice.rdma.transport.Admission;
import io.sluice.rdma.transport.ClientEndpoint;
import io.sluice.rdma.transport.ServerEndpoint;
import io.sluice.rdma.transport.TransportException;
import io.sluice.rdma.transport.TransportNames;
import io.sluice.rdma.transport.TransportProvider;
import io.sluice.rdma.transport.support.RdmaDevices;
import java.net.Inet4Address;
import java.net.InetSocketAddress;
import java.util.Optional;

/**
 * Reads over RDMA, through UCX and its Java binding: the NIC serves, the remote CPU does not.
 *
 * <p>Unlike {@code tcp} it needs libucx, a NIC, an address of that NIC to listen on (rdmacm does
 * not do 127.0.0.1), mapped regions and locked memory. It is available only if all of this is
 * there. IPv4 only: UCX 1.13 frees twice, and so ends the process, where it cannot accept a
 * connection over IPv6, and its listener is on the wildcard address of IPv4 ({@link UcxAcceptor}).
 *
 * <p>Thread contract: safe from any thread; the first question about availability may load libucx.
 */
public final class UcxProvider implements TransportProvider {
  private final UcxSettings settings;
  private final UcxAvailability availability;

  public UcxProvider() {
    this(new RdmaDevices());
  }

  UcxProvider(RdmaDevices devices) {
    this(UcxSettings.rdma(devices), devices);
  }

  private UcxProvider(UcxSettings settings, RdmaDevices devices) {
    this.settings = settings;
    this.availability = new UcxAvailability(settings, devices, new LockedMemoryLimit());
  }

  /** Over UCX's emulation on TCP, to run the contract where there is no NIC. */
  static UcxProvider overTcp() {
    return new UcxProvider(UcxSettings.TCP, new RdmaDevices());
  }

  @Override
  public String name() {
    return TransportNames.UCX;
  }

  @Override
  public Optional<String> unavailabilityCause() {
    return availability.cause();
  }

  @Override
  public boolean isConfined() {
    // libucp answers puts and gets that come as messages too, and looks at no key for those:
    // ucp_put_handler copies to whatever address a peer names.
    return false;
  }

  @Override
  public ServerEndpoint listen(InetSocketAddress bindAddress, Admission admission)
      throws TransportException {
    checkAvailable();
    if (bindAddress.isUnresolved()) {
      throw new TransportException("ucx: cannot listen on unresolved address " + bindAddress);
    }
    if (!(bindAddress.getAddress() instanceof Inet4Address)) {
      throw new TransportException("ucx: cannot listen on " + bindAddress + ": IPv4 only");
    }
    return UcxServerEndpoint.open(settings, bindAddress, admission);
  }

  @Override
  public ClientEndpoint openClient() throws TransportException {
    checkAvailable();
    return UcxClientEndpoint.open(settings);
  }

  private void checkAvailable() throws TransportException {
    Optional<String> cause = unavailabilityCause();
    if (cause.isPresent()) {
      throw new TransportException("ucx is not available: " + cause.get());
    }
  }
}
