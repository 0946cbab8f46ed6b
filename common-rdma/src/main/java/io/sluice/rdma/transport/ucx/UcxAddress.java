package io.sluice.rdma.transport.ucx;

import io.sluice.rdma.memory.OffHeap;
import io.sluice.rdma.transport.RegionDescriptor;
import java.nio.ByteBuffer;
import org.openucx.jucx.ucp.UcpEndpoint;
import org.openucx.jucx.ucp.UcpRemoteKey;

/**
 * What UCX needs of a remote region, in the descriptor's provider data, big-endian:
 *
 * <pre>
 *   0                 8
 *   +-----------------+--------------------------+
 *   | virtual address | packed rkey (to the end) |
 *   +-----------------+--------------------------+
 * </pre>
 */
final class UcxAddress {
  private static final int ADDRESS_OFFSET = 0;
  private static final int REMOTE_KEY_OFFSET = ADDRESS_OFFSET + Long.BYTES;

  private UcxAddress() {}

  static byte[] pack(long address, ByteBuffer remoteKey) {
    ByteBuffer data = ByteBuffer.allocate(REMOTE_KEY_OFFSET + remoteKey.remaining());
    return data.putLong(address).put(remoteKey).array();
  }

  static boolean isPacked(RegionDescriptor descriptor) {
    return descriptor.providerData().length > REMOTE_KEY_OFFSET;
  }

  static long address(RegionDescriptor descriptor) {
    return ByteBuffer.wrap(descriptor.providerData()).getLong(ADDRESS_OFFSET);
  }

  static UcpRemoteKey unpackRemoteKey(UcpEndpoint endpoint, RegionDescriptor descriptor) {
    byte[] data = descriptor.providerData();
    ByteBuffer direct = OffHeap.allocate(data.length - REMOTE_KEY_OFFSET);
    try {
      direct.put(data, REMOTE_KEY_OFFSET, direct.capacity()).clear();
      return endpoint.unpackRemoteKey(direct);
    } finally {
      OffHeap.free(direct);
    }
  }
}
