package io.sluice.rdma.transport.tcp;

import io.sluice.rdma.memory.Closer;
import io.sluice.rdma.transport.MemoryRegion;
import io.sluice.rdma.transport.RegionDescriptor;
import io.sluice.rdma.transport.RegistrationException;
import io.sluice.rdma.transport.support.TransportMeter;
import java.io.IOException;
import java.security.SecureRandom;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;

/**
 * The regions that a TCP server serves, by their ids.
 *
 * <p>Thread contract: safe from any thread. Ownership: the endpoint deregisters what is left.
 */
final class TcpRegions {
  private final Map<Long, TcpRegion> regions = new ConcurrentHashMap<>();
  private final SecureRandom keys = new SecureRandom();
  private final AtomicLong nextRegionId = new AtomicLong(1);
  private final TransportMeter meter;
  private final long graceMs;
  private final long shutdownLimitMs;

  TcpRegions(TransportMeter meter) {
    this(meter, TcpRegion.GRACE_MS, TcpRegion.SHUTDOWN_LIMIT_MS);
  }

  /** As above, by other limits: a test has a sender that does not end. */
  TcpRegions(TransportMeter meter, long graceMs, long shutdownLimitMs) {
    this.meter = meter;
    this.graceMs = graceMs;
    this.shutdownLimitMs = shutdownLimitMs;
  }

  RegionDescriptor register(MemoryRegion memory) throws RegistrationException {
    checkFileHoldsRegion(memory);
    RegionDescriptor descriptor =
        new RegionDescriptor(
            nextRegionId.getAndIncrement(), keys.nextLong(), memory.lengthBytes(), new byte[0]);
    regions.put(descriptor.regionId(), new TcpRegion(descriptor, memory, graceMs, shutdownLimitMs));
    meter.registered(memory.lengthBytes());
    return descriptor;
  }

  /**
   * Returns when nobody sends from it any more; said again, it changes nothing.
   *
   * @throws IllegalStateException if somebody still does; it is to be said again then
   */
  void deregister(RegionDescriptor descriptor) {
    TcpRegion region = regions.get(descriptor.regionId());
    if (region != null && region.descriptor().equals(descriptor)) {
      region.retire(); // first: if that fails, it must not seem done when it is said again
      if (regions.remove(descriptor.regionId(), region)) {
        meter.deregistered(descriptor.lengthBytes());
      }
    }
  }

  /** As {@link #deregister} of each: one that is still sent from does not keep the others. */
  void deregisterAll() {
    Closer.all(regions.values().stream().map(region -> () -> deregister(region.descriptor())));
  }

  /** The region of that id if the key is the right one, else null. */
  TcpRegion find(long regionId, long key) {
    TcpRegion region = regions.get(regionId);
    return region != null && region.descriptor().key() == key ? region : null;
  }

  private static void checkFileHoldsRegion(MemoryRegion memory) throws RegistrationException {
    if (memory.file() == null) {
      return;
    }
    long endBytes = memory.fileOffsetBytes() + memory.lengthBytes();
    try {
      if (memory.file().lengthBytes() < endBytes) {
        throw new RegistrationException(
            "tcp: the file has "
                + memory.file().lengthBytes()
                + " bytes, the region ends at byte "
                + endBytes);
      }
    } catch (RegistrationException e) {
      throw e;
    } catch (IOException e) {
      throw new RegistrationException("tcp: cannot ask the size of the region's file", e);
    }
  }
}
