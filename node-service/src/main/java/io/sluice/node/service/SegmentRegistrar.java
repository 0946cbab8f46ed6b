package io.sluice.node.service;

import io.sluice.node.remote.SegmentLocation;
import io.sluice.rdma.transport.MemoryRegion;
import io.sluice.rdma.transport.RegionDescriptor;
import io.sluice.rdma.transport.ServerEndpoint;
import io.sluice.rdma.transport.TransportException;
import io.sluice.spill.segment.Tier;
import io.sluice.spill.store.SegmentHandle;
import io.sluice.spill.store.SegmentListener;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Registers each segment once with each transport, and knows the descriptors.
 *
 * <p>A segment that a transport cannot register is left to the others, with one line in the log; so
 * are the files of the disk tier, which are not mapped, to those that serve from files.
 *
 * <p>Thread contract: safe from any thread. Ownership: the endpoints stay their owner's.
 */
final class SegmentRegistrar implements SegmentListener {
  private static final Logger LOG = LoggerFactory.getLogger(SegmentRegistrar.class);

  private final Map<String, ServerEndpoint> endpoints;
  private final Map<Integer, SegmentLocation> locations = new ConcurrentHashMap<>();

  /** Registers with these endpoints, by transport name. */
  SegmentRegistrar(Map<String, ServerEndpoint> endpoints) {
    this.endpoints = new LinkedHashMap<>(endpoints);
  }

  @Override
  public void segmentAdded(SegmentHandle segment) {
    Map<String, RegionDescriptor> regions = new HashMap<>();
    MemoryRegion region =
        new MemoryRegion(
            segment.mapping().orElse(null), segment.file(), 0, segment.info().lengthBytes());
    endpoints.forEach(
        (transport, endpoint) -> {
          try {
            regions.put(transport, endpoint.register(region));
          } catch (TransportException e) {
            // Expected of a NIC on the disk tier, which is not mapped.
            if (segment.info().tier() == Tier.MEMORY) {
              LOG.warn("{} is not served over {}: {}", segment.info(), transport, e.getMessage());
            }
          }
        });
    locations.put(segment.info().segmentId(), new SegmentLocation(segment.info(), regions));
  }

  @Override
  public void segmentRemoved(SegmentHandle segment) {
    SegmentLocation location = locations.remove(segment.info().segmentId());
    if (location != null) {
      location
          .regions()
          .forEach((transport, region) -> endpoints.get(transport).deregister(region));
    }
  }

  /** Where a segment is served, or null if it is not (any more). */
  SegmentLocation location(int segmentId) {
    return locations.get(segmentId);
  }
}
