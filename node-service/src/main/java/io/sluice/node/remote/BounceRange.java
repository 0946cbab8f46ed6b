package io.sluice.node.remote;

import io.sluice.rdma.transport.RegionDescriptor;

/**
 * Bytes that lie in a bounce slot, for the reader that asked and until it gives the slot back.
 *
 * @param ticket names the slot when it is given back
 * @param region the registered memory that the slot is a part of
 * @param offsetBytes where the bytes start in the region; there are as many as were asked for
 */
public record BounceRange(long ticket, RegionDescriptor region, long offsetBytes) {}
