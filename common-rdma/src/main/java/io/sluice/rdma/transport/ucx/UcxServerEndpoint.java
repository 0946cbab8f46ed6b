package io.sluice.rdma.transport.ucx;

import com.sun.jna.Pointer;
import io.sluice.rdma.memory.Closer;
import io.sluice.rdma.transport.Admission;
import io.sluice.rdma.transport.MemoryRegion;
import io.sluice.rdma.transport.RegionDescriptor;
import io.sluice.rdma.transport.ServerEndpoint;
import io.sluice.rdma.transport.TransportCounters;
import io.sluice.rdma.transport.TransportException;
import io.sluice.rdma.transport.TransportException.RegistrationException;
import io.sluice.rdma.transport.support.TransportMeter;
import io.sluice.rdma.transport.ucx.UcxRegion.UcxAddress;
import java.net.InetSocketAddress;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.BiConsumer;
import org.openucx.jucx.ucp.UcpContext;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Registers memory with the NIC and accepts connections; the NIC answers the reads.
 *
 * <p>Unlike the TCP server it does not see reads and cannot refuse one. UCX keeps deregistered
 * memory in its registration cache until it is unmapped or this endpoint is closed, unless {@code
 * UCX_IB_REG_METHODS} is {@code direct} in the environment. Until then the NIC serves clients that
 * have the descriptor. So {@link #deregister} is not enough before memory is reused: readers verify
 * generation and checksum.
 *
 * <p>Thread contract: safe from any thread; the work runs on the loop. Ownership: the caller closes
 * it.
 */
final class UcxServerEndpoint implements ServerEndpoint {
  private static final Logger LOG = LoggerFactory.getLogger(UcxServerEndpoint.class);

  private final UcxSettings settings;
  private final BiConsumer<UcpContext, Pointer> unmapping;
  private final UcxLoop loop;
  private final TransportMeter meter = new TransportMeter();
  private final AtomicLong nextRegionId = new AtomicLong(1);
  private final AtomicBoolean closed = new AtomicBoolean();
  private final Map<RegionDescriptor, UcxRegion> regions = new HashMap<>(); // loop only
  private final UcxAcceptor acceptor; // loop only
  private final InetSocketAddress address;

  private UcxServerEndpoint(
      UcxSettings settings,
      UcxLoop loop,
      InetSocketAddress bindAddress,
      Admission admission,
      BiConsumer<UcpContext, Pointer> unmapping)
      throws TransportException {
    this.settings = settings;
    this.unmapping = unmapping;
    this.loop = loop;
    this.acceptor =
        loop.call(
            "listening on " + bindAddress,
            () -> new UcxAcceptor(loop, settings, bindAddress, admission, meter));
    this.address = acceptor.address();
  }

  static UcxServerEndpoint open(
      UcxSettings settings, InetSocketAddress bindAddress, Admission admission)
      throws TransportException {
    return open(settings, bindAddress, admission, UcpLibrary::unmap);
  }

  /** Opens an endpoint with its own way to deregister, for a test in which that fails. */
  static UcxServerEndpoint open(
      UcxSettings settings,
      InetSocketAddress bindAddress,
      Admission admission,
      BiConsumer<UcpContext, Pointer> unmapping)
      throws TransportException {
    UcxLoop loop = UcxLoop.start("sluice-ucx-server-" + bindAddress.getPort(), settings);
    try {
      return new UcxServerEndpoint(settings, loop, bindAddress, admission, unmapping);
    } catch (TransportException | RuntimeException | Error e) {
      loop.close();
      throw e;
    }
  }

  @Override
  public InetSocketAddress address() {
    return address;
  }

  @Override
  public RegionDescriptor register(MemoryRegion memory) throws TransportException {
    if (memory.mapping() == null) {
      throw new RegistrationException(
          "ucx: a region without a mapping cannot be registered; serve files over tcp");
    }
    return loop.call("registering a region", () -> registerOnLoop(memory));
  }

  private RegionDescriptor registerOnLoop(MemoryRegion memory) throws TransportException {
    UcxRegion region =
        UcxRegion.toBeRead(loop, settings, unmapping, memory.mapping(), memory.lengthBytes());
    RegionDescriptor descriptor =
        new RegionDescriptor(
            nextRegionId.getAndIncrement(),
            0,
            memory.lengthBytes(),
            UcxAddress.pack(region.address(), region.remoteKey()));
    regions.put(descriptor, region);
    meter.registered(memory.lengthBytes());
    return descriptor;
  }

  @Override
  public void deregister(RegionDescriptor descriptor) {
    try {
      loop.call(
          "deregistering " + descriptor,
          () -> {
            deregisterOnLoop(descriptor);
            return null;
          });
    } catch (TransportException e) {
      if (!closed.get()) {
        throw new IllegalStateException(e.getMessage() + "; it must not be unmapped", e);
      }
      loop.awaitEnd(); // which destroys the context and all its registrations
    }
  }

  private void deregisterOnLoop(RegionDescriptor descriptor) {
    UcxRegion region = regions.get(descriptor);
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

  UcxLoop loop() {
    return loop;
  }

  /** For tests: ends the connections of all clients. On the loop only. */
  void dropConnections() {
    acceptor.dropAll("dropped");
  }

  @Override
  public void close() {
    if (closed.compareAndSet(false, true)) {
      loop.close(
          () ->
              acceptor.close(
                  () -> {
                    Closer.all(
                        regions.keySet().stream().map(region -> () -> deregisterOnLoop(region)));
                    LOG.debug("ucx: server on {} closed", address);
                  }));
    }
  }
}
