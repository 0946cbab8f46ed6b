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
record ReadPath(String transport, RegionDescriptor region, int maxBytes) {
  /** With the answer that said where they lie. */
  static final ReadPath INLINED = new ReadPath(ReadStats.INLINED, null, Integer.MAX_VALUE);

  static ReadPath direct(String transport, RegionDescriptor region) {
    return new ReadPath(transport, region, Integer.MAX_VALUE);
  }

  static ReadPath bounced(String transport, int slotBytes) {
    return new ReadPath(transport, null, slotBytes);
  }

  boolean isBounced() {
    return region == null && this != INLINED;
  }
}
