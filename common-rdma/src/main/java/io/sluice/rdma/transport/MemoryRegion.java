package io.sluice.rdma.transport;

import io.sluice.rdma.memory.SharedFile;
import java.nio.ByteBuffer;

/**
 * Memory to be served: as a mapping, as a range of the file behind it, or both.
 *
 * <p>{@code ucx} reads the mapping; {@code tcp} sends from the file where there is one, because
 * then the bytes need not pass through this process, and from the mapping otherwise. Both must show
 * the same bytes. Ownership: the caller unmaps and closes, after deregistering.
 *
 * @param mapping direct or mapped memory of at least {@code lengthBytes}, or null; its position and
 *     limit are ignored
 * @param file an open file, or null
 * @param fileOffsetBytes where the region starts in the file
 * @param lengthBytes the length of the region
 */
public record MemoryRegion(
    ByteBuffer mapping, SharedFile file, long fileOffsetBytes, long lengthBytes) {
  public MemoryRegion {
    if (mapping == null && file == null) {
      throw new IllegalArgumentException("a region needs a mapping, a file or both; got neither");
    }
    if (mapping != null && !mapping.isDirect()) {
      throw new IllegalArgumentException("a region's mapping must be direct memory, not heap");
    }
    if (fileOffsetBytes < 0 || lengthBytes < 0) {
      throw new IllegalArgumentException(
          "negative region: file offset " + fileOffsetBytes + ", length " + lengthBytes + " bytes");
    }
    if (mapping != null && mapping.capacity() < lengthBytes) {
      throw new IllegalArgumentException(
          "the mapping has "
              + mapping.capacity()
              + " bytes, the region asks for "
              + lengthBytes
              + " bytes");
    }
  }

  /** A region that exists only as memory. */
  public static MemoryRegion ofMapping(ByteBuffer mapping) {
    return new MemoryRegion(mapping, null, 0, mapping.capacity());
  }

  /** A region that exists only as a range of a file. */
  public static MemoryRegion ofFile(SharedFile file, long fileOffsetBytes, long lengthBytes) {
    return new MemoryRegion(null, file, fileOffsetBytes, lengthBytes);
  }
}
