package io.sluice.node.service;

import io.sluice.node.service.BounceBuffers.BounceConfig;
import io.sluice.node.service.ServiceCounters.BounceCounters;
import io.sluice.rdma.transport.TransportException;
import io.sluice.spill.segment.SegmentInfo;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The bounce buffers of the transports that need them, each opened when its transport refuses the
 * first segment: a service that needs none has none.
 *
 * <p>Thread contract: safe from any thread. Ownership: the service closes it, after the endpoints
 * and before the store. Failure: buffers that cannot be had are done without, with one line in the
 * log; readers then take another transport.
 */
final class BounceTransports implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(BounceTransports.class);

  private final Map<String, OwnerEndpoints> endpoints;
  private final BounceConfig config;
  private final Map<String, Optional<BounceBuffers>> pools = new LinkedHashMap<>();
  private final Set<String> told = new HashSet<>();
  private boolean closed;

  /** Opens nothing yet; {@code endpoints} by transport name. */
  BounceTransports(Map<String, OwnerEndpoints> endpoints, BounceConfig config) {
    this.endpoints = endpoints;
    this.config = config;
  }

  /** A transport cannot register this segment: has buffers ready for it from now on. */
  synchronized void refused(String transport, SegmentInfo segment, TransportException cause) {
    if (closed) {
      return;
    }
    boolean available = pools.computeIfAbsent(transport, this::open).isPresent();
    if (told.add(transport + " " + segment.tier())) {
      LOG.warn(
          "Segments of {} cannot be registered with {} ({}); {}",
          segment.path().getParent(),
          transport,
          cause.getMessage(),
          available
              ? "serving them through bounce buffers of " + mebibytes(config) + " MiB"
              : "there are no bounce buffers, so readers use another transport");
    }
  }

  private Optional<BounceBuffers> open(String transport) {
    if (config.slots() == 0) {
      return Optional.empty();
    }
    try {
      return Optional.of(BounceBuffers.open(endpoints.get(transport), config));
    } catch (TransportException | OutOfMemoryError e) {
      LOG.warn(
          "Bounce buffers of {} MiB for {} cannot be allocated: {}",
          mebibytes(config),
          transport,
          e.getMessage());
      return Optional.empty();
    }
  }

  private static float mebibytes(BounceConfig config) {
    return config.totalBytes() / (float) (1 << 20);
  }

  /** The buffers of a transport, if there are any. */
  synchronized Optional<BounceBuffers> of(String transport) {
    return closed ? Optional.empty() : pools.getOrDefault(transport, Optional.empty());
  }

  /** Counts of all buffers, by transport. */
  synchronized Map<String, BounceCounters> counters() {
    Map<String, BounceCounters> result = new LinkedHashMap<>();
    pools.forEach(
        (transport, pool) -> pool.ifPresent(open -> result.put(transport, open.counters())));
    return result;
  }

  @Override
  public synchronized void close() {
    closed = true;
    pools.values().forEach(pool -> pool.ifPresent(BounceBuffers::close));
  }
}
