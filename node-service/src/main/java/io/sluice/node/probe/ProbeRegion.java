package io.sluice.node.probe;

import io.sluice.node.remote.ProbeMessages.ProbeOffer;
import io.sluice.node.remote.TransportOffer;
import io.sluice.rdma.memory.Closer;
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
import java.nio.ByteOrder;
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
    Closer.all(endpoints.values().stream().map(endpoint -> endpoint::close));
    endpoints.clear(); // now no NIC has the memory
    if (memory != null) {
      OffHeap.free(memory);
      memory = null;
    }
  }

  /**
   * The bytes that a probe reads. Everybody knows them. They differ at every offset, so that a read
   * that came from elsewhere, or not at all, is seen.
   *
   * <pre>
   *   offset 8 i: int64 (i + 1) * 0x9E3779B97F4A7C15, big-endian
   * </pre>
   */
  public static final class ProbePattern {
    /** Length of the pattern. */
    public static final int LENGTH_BYTES = 1 << 20;

    private static final long STEP = 0x9E3779B97F4A7C15L;

    private ProbePattern() {}

    /** Writes the whole pattern to the start of {@code memory}. */
    static void fill(ByteBuffer memory) {
      ByteBuffer out = memory.duplicate().order(ByteOrder.BIG_ENDIAN).clear();
      for (int offset = 0; offset < LENGTH_BYTES; offset += Long.BYTES) {
        out.putLong(offset, at(offset));
      }
    }

    /**
     * Where {@code memory} first differs from the pattern.
     *
     * @param memory compared from its position to its limit
     * @param offsetBytes where in the pattern its position lies; a multiple of 8, as is its length
     * @return an offset in the pattern, rounded down to 8, or -1
     */
    static int mismatch(ByteBuffer memory, int offsetBytes) {
      ByteBuffer in = memory.slice().order(ByteOrder.BIG_ENDIAN);
      for (int i = 0; i < in.limit(); i += Long.BYTES) {
        if (in.getLong(i) != at(offsetBytes + i)) {
          return offsetBytes + i;
        }
      }
      return -1;
    }

    private static long at(int offsetBytes) {
      return (offsetBytes / Long.BYTES + 1) * STEP;
    }
  }
}
