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
 * not support 127.0.0.1), mapped regions and locked memory. It is available only with all of these.
 * It supports IPv4 only: if UCX 1.13 cannot accept a connection over IPv6, a double free ends the
 * process. The listener uses the wildcard address of IPv4 ({@link UcxAcceptor}).
 *
 * <p>Thread contract: safe from any thread; the first call of {@link #unavailabilityCause} may load
 * libucx.
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

  /** Uses UCX' emulation on TCP, to run the contract tests without a NIC. */
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
    // libucp also answers puts and gets that come as messages, and checks no key for those:
    // ucp_put_handler copies to any address that a peer names.
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
