package io.sluice.rdma.transport.disni;

import com.ibm.disni.verbs.IbvContext;
import com.ibm.disni.verbs.IbvMr;
import com.ibm.disni.verbs.IbvPd;
import com.ibm.disni.verbs.RdmaCm;
import com.ibm.disni.verbs.RdmaCmId;
import com.ibm.disni.verbs.RdmaEventChannel;
import com.ibm.disni.verbs.RdmaVerbs;
import com.ibm.disni.verbs.SVCRegMr;
import com.ibm.disni.verbs.impl.NatIbvContext;
import io.sluice.rdma.memory.Closer;
import io.sluice.rdma.text.ErrorText;
import io.sluice.rdma.transport.TransportException;
import io.sluice.rdma.transport.disni.DisniRegion.DisniAddress;
import io.sluice.rdma.transport.support.HostAddresses;
import java.io.Closeable;
import java.io.IOException;
import java.net.Inet4Address;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;

/**
 * The RDMA devices of one endpoint.
 *
 * <p>The device of a connection is known only when its route is resolved, after memory was
 * registered. So an endpoint opens all devices, nearly always one. It finds them by binding every
 * IPv4 address of this host: librdmacm knows which of them belong to a device.
 *
 * <p>Thread contract: immutable once opened. Ownership: the endpoint closes it, after all queue
 * pairs and registrations.
 */
final class DisniDevices implements AutoCloseable {
  private final RdmaEventChannel channel;
  private final List<DisniDevice> devices = new ArrayList<>();

  private DisniDevices(RdmaEventChannel channel) {
    this.channel = channel;
  }

  /** Every device that has an IPv4 address. */
  static DisniDevices openAll() throws TransportException {
    return open(localAddresses());
  }

  /** The device of one address, or every device for the wildcard. */
  static DisniDevices openFor(InetAddress address) throws TransportException {
    return address.isAnyLocalAddress() ? openAll() : open(List.of(DisniAddress.ipv4(address)));
  }

  /** The devices of these addresses. */
  static DisniDevices open(List<Inet4Address> addresses) throws TransportException {
    try {
      DisniDevices result = new DisniDevices(RdmaEventChannel.createEventChannel());
      try {
        for (Inet4Address address : addresses) {
          result.add(address);
        }
        if (result.devices.isEmpty()) {
          throw new TransportException(
              "disni: of the IPv4 addresses "
                  + addresses
                  + " none belongs to an RDMA device; give the device's network interface one");
        }
        return result;
      } catch (IOException | RuntimeException | Error e) {
        result.close();
        throw e;
      }
    } catch (TransportException e) {
      throw e;
    } catch (IOException e) {
      throw new TransportException("disni: cannot open the RDMA devices: " + ErrorText.of(e), e);
    }
  }

  private static List<Inet4Address> localAddresses() throws TransportException {
    try {
      return HostAddresses.ofConnections().stream()
          .filter(address -> address instanceof Inet4Address && !address.isLoopbackAddress())
          .map(Inet4Address.class::cast)
          .toList();
    } catch (IOException e) {
      throw new TransportException("disni: cannot list the addresses of this host", e);
    }
  }

  private void add(Inet4Address address) throws IOException {
    RdmaCmId id = channel.createId(RdmaCm.RDMA_PS_TCP);
    boolean kept = false;
    try {
      IbvContext context = contextAt(id, address);
      DisniDevice known = context == null ? null : find(context);
      if (known != null) {
        known.addresses().add(address);
      } else if (context != null) {
        devices.add(DisniDevice.open(id, context, address));
        kept = true;
      }
    } finally {
      if (!kept) {
        id.destroyId();
      }
    }
  }

  private static IbvContext contextAt(RdmaCmId id, Inet4Address address) throws IOException {
    try {
      id.bindAddr(new InetSocketAddress(address, 0));
    } catch (IOException e) {
      return null; // an address of another network device
    }
    return id.getVerbs();
  }

  List<DisniDevice> all() {
    return devices;
  }

  /** The device a connection goes through. */
  DisniDevice of(RdmaCmId id) throws IOException {
    IbvContext context = id.getVerbs();
    DisniDevice device = context == null ? null : find(context);
    if (device == null) {
      throw new IOException("the route uses an RDMA device that has no IPv4 address");
    }
    return device;
  }

  private DisniDevice find(IbvContext context) {
    return devices.stream().filter(device -> device.has(context)).findFirst().orElse(null);
  }

  @Override
  public void close() {
    List<Closeable> ends = new ArrayList<>();
    devices.forEach(device -> ends.add(device::close));
    ends.add(channel::destroyEventChannel);
    try {
      Closer.all(ends);
    } catch (IOException e) {
      throw new IllegalStateException("disni: cannot close the RDMA devices", e);
    }
  }

  /**
   * A device and one protection domain on it.
   *
   * <p>Thread contract: safe from any thread once its addresses are known. Ownership: {@link
   * DisniDevices} closes it. The bound id keeps librdmacm from closing the device.
   */
  static final class DisniDevice {
    private final RdmaCmId bound;
    private final IbvContext context;
    private final IbvPd protectionDomain;
    private final List<Inet4Address> addresses = new ArrayList<>();

    private DisniDevice(RdmaCmId bound, IbvContext context, IbvPd protectionDomain) {
      this.bound = bound;
      this.context = context;
      this.protectionDomain = protectionDomain;
    }

    static DisniDevice open(RdmaCmId bound, IbvContext context, Inet4Address address)
        throws IOException {
      DisniDevice device = new DisniDevice(bound, context, context.allocPd());
      device.addresses.add(address);
      return device;
    }

    IbvContext context() {
      return context;
    }

    IbvPd protectionDomain() {
      return protectionDomain;
    }

    List<Inet4Address> addresses() {
      return addresses;
    }

    /**
     * Whether the device has this context. DiSNI returns a new object each time for one native
     * context.
     */
    boolean has(IbvContext other) {
      return ((NatIbvContext) context).getObjId() == ((NatIbvContext) other).getObjId();
    }

    /** Registers all of a direct buffer. */
    IbvMr register(ByteBuffer memory, int access) throws IOException {
      SVCRegMr call = protectionDomain.regMr(memory, access);
      try {
        return call.execute().getMr();
      } finally {
        call.free();
      }
    }

    void close() throws IOException {
      if (RdmaVerbs.open().deallocPd(protectionDomain) != 0) {
        throw new IOException("a queue pair or a registration is still there");
      }
      bound.destroyId();
    }
  }
}
