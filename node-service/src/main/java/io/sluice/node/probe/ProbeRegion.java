package io.sluice.node.probe;

import io.sluice.node.remote.ProbeOffer;
import io.sluice.node.remote.TransportOffer;
import io.sluice.rdma.memory.OffHeap;
import io.sluice.rdma.transport.Admission;
import io.sluice.rdma.transport.ConnectionLimits;
import io.sluice.rdma.transport.MemoryRegion;
import io.sluice.rdma.transport.RegionDescriptor;
import io.sluice.rdma.transport.ServerEndpoint;
import io.sluice.rdma.transport.TransportException;
import io.sluice.rdma.transport.TransportProvider;
import java.io.Closeable;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The one region of a node service that anybody may read: {@link ProbePattern}, in memory that
 * holds nothing else, served by endpoints that serve nothing else. So a key of it is worth nothing
 * at the endpoints of the pool, whose registrations belong to another protection domain, and a
 * connection to it counts among no others.
 *
 * <p>All of it is there from the start; a probe makes the service allocate nothing. Thread
 * contract: safe from any thread. Ownership: the service closes it. Failure: a transport that
 * cannot listen or register is left out, with a line in the log.
 */
public final class ProbeRegion implements Closeable {
  private static final Logger LOG = LoggerFactory.getLogger(ProbeRegion.class);

  /** A NIC registers whole pages, the largest of which have this size; none may be shared. */
  private static final int PAGE_BYTES = 64 << 10;

  /** Few, and not for long: a probe needs one. */
  private static final ConnectionLimits LIMITS = new ConnectionLimits(4, 4, 5_000, 10_000);

  private final Map<String, ServerEndpoint> endpoints = new LinkedHashMap<>();
  private final List<ProbeOffer> offers = new ArrayList<>();
  private ByteBuffer memory;

  private ProbeRegion() {}

  /**
   * Listens with transport i of {@code providers} at {@code firstPort + i}, or at free ports if
   * that is 0. Without providers there is nothing to read, and no memory is taken for it.
   */
  public static ProbeRegion open(
      List<TransportProvider> providers, InetAddress bindAddress, int firstPort) {
    ProbeRegion region = new ProbeRegion();
    if (providers.isEmpty()) {
      return region;
    }
    region.memory = OffHeap.allocate(ProbePattern.LENGTH_BYTES + PAGE_BYTES);
    ByteBuffer pages = region.memory.alignedSlice(PAGE_BYTES).slice(0, ProbePattern.LENGTH_BYTES);
    ProbePattern.fill(pages);
    int port = firstPort;
    for (TransportProvider provider : providers) {
      region.serve(provider, new InetSocketAddress(bindAddress, port), pages);
      port = firstPort == 0 ? 0 : port + 1;
    }
    return region;
  }

  private void serve(TransportProvider provider, InetSocketAddress at, ByteBuffer pages) {
    String transport = provider.name();
    try {
      ServerEndpoint endpoint = provider.listen(at, Admission.open(LIMITS));
      endpoints.put(transport, endpoint);
      Optional<RegionDescriptor> region = Optional.empty();
      try {
        region = Optional.of(endpoint.register(MemoryRegion.ofMapping(pages)));
      } catch (TransportException e) {
        LOG.warn("Probes cannot read over {}: {}", transport, e.getMessage());
      }
      offers.add(new ProbeOffer(TransportOffer.of(transport, endpoint.address(), 0), region));
    } catch (TransportException e) {
      LOG.warn("No probes over {}: {}", transport, e.getMessage());
    }
  }

  /** Where each transport listens for probes, and what authorises reads of the pattern there. */
  public List<ProbeOffer> offers() {
    return List.copyOf(offers);
  }

  @Override
  public void close() {
    endpoints.values().forEach(ServerEndpoint::close);
    endpoints.clear();
    if (memory != null) {
      OffHeap.free(memory);
      memory = null;
    }
  }
}
