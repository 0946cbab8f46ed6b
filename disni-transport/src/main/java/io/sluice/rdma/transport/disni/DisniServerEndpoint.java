package io.sluice.rdma.transport.disni;

import com.ibm.disni.verbs.IbvMr;
import io.sluice.rdma.memory.Closer;
import io.sluice.rdma.transport.Admission;
import io.sluice.rdma.transport.MemoryRegion;
import io.sluice.rdma.transport.RegionDescriptor;
import io.sluice.rdma.transport.ServerEndpoint;
import io.sluice.rdma.transport.TransportCounters;
import io.sluice.rdma.transport.TransportException;
import io.sluice.rdma.transport.TransportException.RegistrationException;
import io.sluice.rdma.transport.disni.DisniRegion.DisniAddress;
import io.sluice.rdma.transport.support.TransportMeter;
import java.net.InetSocketAddress;
import java.util.HashMap;
import java.util.Map;
import java.util.stream.Stream;

/**
 * Registers memory with the NIC and accepts connections; the NIC answers the reads.
 *
 * <p>Unlike with {@code ucx}, deregistration takes effect at once: the NIC then refuses reads with
 * the descriptor.
 *
 * <p>Thread contract: safe from any thread. Ownership: the caller closes.
 */
final class DisniServerEndpoint implements ServerEndpoint {
  private final DisniDevices devices;
  private final TransportMeter meter = new TransportMeter();
  private final DisniAcceptor acceptor;
  private final Map<RegionDescriptor, DisniRegion> regions = new HashMap<>(); // under this
  private long nextRegionId = 1; // under this
  private boolean closed; // under this

  private DisniServerEndpoint(
      DisniDevices devices, InetSocketAddress bindAddress, Admission admission)
      throws TransportException {
    this.devices = devices;
    // Last: it starts a thread that uses the devices, so nothing after it may fail.
    this.acceptor = DisniAcceptor.listen(devices, bindAddress, admission, meter);
  }

  static DisniServerEndpoint open(InetSocketAddress bindAddress, Admission admission)
      throws TransportException {
    if (bindAddress.isUnresolved()) {
      throw new TransportException("disni: cannot listen on unresolved address " + bindAddress);
    }
    DisniDevices devices = DisniDevices.openFor(bindAddress.getAddress());
    try {
      return new DisniServerEndpoint(devices, bindAddress, admission);
    } catch (TransportException | RuntimeException | Error e) {
      devices.close();
      throw e;
    }
  }

  @Override
  public InetSocketAddress address() {
    return acceptor.address();
  }

  @Override
  public synchronized RegionDescriptor register(MemoryRegion memory) throws TransportException {
    if (memory.mapping() == null) {
      throw new RegistrationException(
          "disni: a region without a mapping cannot be registered; serve files over tcp");
    }
    if (closed) {
      throw new TransportException("disni: registering a region: the endpoint is closed");
    }
    DisniRegion region =
        DisniRegion.register(
            devices, memory.mapping(), memory.lengthBytes(), IbvMr.IBV_ACCESS_REMOTE_READ);
    RegionDescriptor descriptor =
        new RegionDescriptor(
            nextRegionId++,
            0,
            memory.lengthBytes(),
            DisniAddress.pack(region.address(), region.remoteKeys()));
    regions.put(descriptor, region);
    meter.registered(memory.lengthBytes());
    return descriptor;
  }

  @Override
  public synchronized void deregister(RegionDescriptor descriptor) {
    DisniRegion region = regions.get(descriptor);
    if (region != null) {
      region.deregister(); // first: if it fails, a second call must try again
      regions.remove(descriptor);
      meter.deregistered(descriptor.lengthBytes());
    }
  }

  @Override
  public TransportCounters counters() {
    return meter.snapshot();
  }

  /** For tests: requests of the connected clients are lost from now on. */
  void fallSilent() {
    acceptor.destroyQueuePairs();
  }

  @Override
  public synchronized void close() {
    if (!closed) {
      closed = true;
      Closer.all(Stream.of(acceptor::close, this::deregisterAll, this::closeDevices));
    }
  }

  private void deregisterAll() {
    Closer.all(regions.keySet().stream().map(region -> () -> deregister(region)));
  }

  /** Closes the devices unless a thread still uses them, because that would crash the process. */
  private void closeDevices() {
    if (acceptor.hasEnded()) {
      devices.close();
    }
  }
}
