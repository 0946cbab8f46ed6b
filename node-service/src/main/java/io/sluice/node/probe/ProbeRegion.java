package io.sluice.node.probe;

import io.sluice.rdma.memory.OffHeap;
import io.sluice.rdma.transport.MemoryRegion;
import io.sluice.rdma.transport.RegionDescriptor;
import io.sluice.rdma.transport.ServerEndpoint;
import io.sluice.rdma.transport.TransportException;
import java.io.Closeable;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.Map;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The one region of a node service that anybody may read: {@link ProbePattern}, in memory that
 * holds nothing else.
 *
 * <p>Allocated and registered when somebody first asks, once; so probes cost a node 1 MiB however
 * many there are. Thread contract: safe from any thread. Ownership: the service closes it, before
 * its endpoints. Failure: a transport that cannot register it is left out, with a line in the log.
 */
public final class ProbeRegion implements Closeable {
  private static final Logger LOG = LoggerFactory.getLogger(ProbeRegion.class);

  /** A NIC registers whole pages, the largest of which have this size; none may be shared. */
  private static final int PAGE_BYTES = 64 << 10;

  private final Map<String, ServerEndpoint> endpoints;
  private Map<String, RegionDescriptor> regions;
  private ByteBuffer memory;
  private boolean closed;

  /** Nothing is allocated yet; {@code endpoints} are by transport name. */
  public ProbeRegion(Map<String, ServerEndpoint> endpoints) {
    this.endpoints = new LinkedHashMap<>(endpoints);
  }

  /** By transport name, what authorises reads of the pattern, and of nothing else. */
  public synchronized Map<String, RegionDescriptor> regions() throws IOException {
    if (closed) {
      throw new IOException("the node service is closing");
    }
    if (regions == null) {
      memory = OffHeap.allocate(ProbePattern.LENGTH_BYTES + PAGE_BYTES);
      ByteBuffer pages = memory.alignedSlice(PAGE_BYTES).slice(0, ProbePattern.LENGTH_BYTES);
      ProbePattern.fill(pages);
      regions = register(pages);
    }
    return regions;
  }

  private Map<String, RegionDescriptor> register(ByteBuffer pages) {
    Map<String, RegionDescriptor> result = new HashMap<>();
    endpoints.forEach(
        (transport, endpoint) -> {
          try {
            result.put(transport, endpoint.register(MemoryRegion.ofMapping(pages)));
          } catch (TransportException e) {
            LOG.warn("Probes cannot read over {}: {}", transport, e.getMessage());
          }
        });
    return Map.copyOf(result);
  }

  @Override
  public synchronized void close() {
    if (!closed && regions != null) {
      regions.forEach((transport, region) -> endpoints.get(transport).deregister(region));
      OffHeap.free(memory);
    }
    closed = true;
  }
}
