package io.sluice.node.service;

import io.sluice.node.remote.OutputLocations.SegmentLocation;
import io.sluice.rdma.memory.Closer;
import io.sluice.rdma.transport.MemoryRegion;
import io.sluice.rdma.transport.RegionDescriptor;
import io.sluice.rdma.transport.TransportException;
import io.sluice.spill.store.SegmentHandle;
import io.sluice.spill.store.SegmentHandle.SegmentListener;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.Stream;

/**
 * Registers each segment once with each transport, at its owner's endpoint, and knows the
 * descriptors.
 *
 * <p>A segment that a transport cannot register, because it is on DAX or a file of the disk tier
 * that is not mapped, has no region there; it is served through {@link BounceTransports}.
 *
 * <p>Thread contract: safe from any thread. Ownership: the endpoints stay their owner's.
 */
final class SegmentRegistrar implements SegmentListener {
  private final Map<String, OwnerEndpoints> endpoints;
  private final BounceTransports bounce;
  private final OpenSegments open = new OpenSegments();
  private final Map<Integer, SegmentLocation> locations = new ConcurrentHashMap<>();

  /** Regions of segments that are being removed, by segment and transport. */
  private final Map<Integer, Map<String, RegionDescriptor>> leaving = new ConcurrentHashMap<>();

  /** Registers with these endpoints, by transport name. */
  SegmentRegistrar(Map<String, OwnerEndpoints> endpoints, BounceTransports bounce) {
    this.endpoints = new LinkedHashMap<>(endpoints);
    this.bounce = bounce;
  }

  @Override
  public void segmentAdded(SegmentHandle segment) {
    Map<String, RegionDescriptor> regions = new HashMap<>();
    long lengthBytes = segment.info().lengthBytes();
    MemoryRegion region =
        segment
            .reader()
            .map(reader -> MemoryRegion.ofReader(reader, lengthBytes))
            .orElseGet(
                () ->
                    MemoryRegion.ofMappedFile(
                        segment.mapping().orElse(null), segment.file(), lengthBytes));
    try {
      endpoints.forEach(
          (transport, endpoint) -> {
            try {
              regions.put(transport, endpoint.register(segment.owner(), region));
            } catch (TransportException e) {
              bounce.refused(transport, segment.info(), e);
            }
          });
    } catch (RuntimeException | Error e) {
      Closer.after(e, () -> deregister(segment, regions));
      throw e;
    }
    open.add(segment);
    locations.put(segment.info().segmentId(), new SegmentLocation(segment.info(), regions));
  }

  @Override
  public void segmentRemoved(SegmentHandle segment) {
    int segmentId = segment.info().segmentId();
    SegmentLocation location = locations.remove(segmentId);
    if (location != null) {
      leaving.put(segmentId, new HashMap<>(location.regions()));
    }
    deregister(segment, leaving.getOrDefault(segmentId, Map.of()));
    leaving.remove(segmentId);
    open.remove(segment);
  }

  /**
   * Deregisters with each transport, even if another fails; a region that fails stays for later.
   */
  private void deregister(SegmentHandle segment, Map<String, RegionDescriptor> regions) {
    Stream<String> transports = List.copyOf(regions.keySet()).stream();
    Closer.all(transports.map(transport -> () -> deregister(segment, transport, regions)));
  }

  private void deregister(
      SegmentHandle segment, String transport, Map<String, RegionDescriptor> regions) {
    endpoints.get(transport).deregister(segment.owner(), regions.get(transport));
    regions.remove(transport);
  }

  /** The segments, to copy from. */
  OpenSegments open() {
    return open;
  }

  /** Where a segment is served, or null if it is not (any more). */
  SegmentLocation location(int segmentId) {
    return locations.get(segmentId);
  }
}
