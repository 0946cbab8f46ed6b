package io.sluice.node.remote;

import io.sluice.rdma.transport.RegionDescriptor;
import java.util.Optional;

/**
 * A transport as a probe may try it.
 *
 * @param offer where it listens
 * @param region the region with {@link io.sluice.node.probe.ProbePattern}; empty if the service
 *     could not register it with this transport
 */
public record ProbeOffer(TransportOffer offer, Optional<RegionDescriptor> region) {}
