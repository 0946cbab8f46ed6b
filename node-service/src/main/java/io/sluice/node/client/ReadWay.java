package io.sluice.node.client;

import io.sluice.rdma.transport.RegionDescriptor;

/**
 * How the bytes of a segment can be read: from its region, or where it has none on a transport,
 * through bounce slots; or {@link #INLINED}.
 *
 * @param transport the transport
 * @param region the segment's region, or null if it is bounced or inlined
 * @param maxBytes the most that one read can bring
 */
record ReadWay(String transport, RegionDescriptor region, int maxBytes) {
  /** With the answer that said where they lie. */
  static final ReadWay INLINED = new ReadWay(ReadStats.INLINED, null, Integer.MAX_VALUE);

  static ReadWay direct(String transport, RegionDescriptor region) {
    return new ReadWay(transport, region, Integer.MAX_VALUE);
  }

  static ReadWay bounced(String transport, int slotBytes) {
    return new ReadWay(transport, null, slotBytes);
  }

  boolean isBounced() {
    return region == null && this != INLINED;
  }
}
