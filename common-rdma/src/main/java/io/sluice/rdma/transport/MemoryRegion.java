package io.sluice.rdma.transport;

import io.sluice.rdma.memory.LendingReader;
import io.sluice.rdma.memory.SharedFile;
import java.nio.ByteBuffer;

/**
 * Memory to be served: a mapping, a range of the file behind it, or both; or bytes that only a
 * reader can read.
 *
 * <p>{@code ucx} reads the mapping. {@code tcp} sends from the file if there is one, because the
 * bytes then need not pass through this process; else it sends from the mapping, or from memory
 * that the reader lends. All must have the same bytes. Thread contract: immutable. Ownership: the
 * caller unmaps and closes, after deregistering.
 *
 * @param mapping direct or mapped memory of at least {@code lengthBytes}, or null; its position and
 *     limit are ignored
 * @param file an open file, or null
 * @param fileOffsetBytes where the region starts in the file
 * @param lengthBytes the length of the region
 * @param reader reads the region from its start on, or null; only if there is neither mapping nor
 *     file
 */
public record MemoryRegion(
    ByteBuffer mapping,
    SharedFile file,
    long fileOffsetBytes,
    long lengthBytes,
    LendingReader reader) {
  public MemoryRegion {
    if ((mapping == null && file == null) == (reader == null)) {
      throw new IllegalArgumentException(
          "a region needs a mapping, a file or both, or else a reader");
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

  /** A region that is only memory. */
  public static MemoryRegion ofMapping(ByteBuffer mapping) {
    return new MemoryRegion(mapping, null, 0, mapping.capacity(), null);
  }

  /** A region that is only a range of a file. */
  public static MemoryRegion ofFile(SharedFile file, long fileOffsetBytes, long lengthBytes) {
    return new MemoryRegion(null, file, fileOffsetBytes, lengthBytes, null);
  }

  /** A region that is memory and a whole file. */
  public static MemoryRegion ofMappedFile(ByteBuffer mapping, SharedFile file, long lengthBytes) {
    return new MemoryRegion(mapping, file, 0, lengthBytes, null);
  }

  /** A region whose bytes only a reader can read. */
  public static MemoryRegion ofReader(LendingReader reader, long lengthBytes) {
    return new MemoryRegion(null, null, 0, lengthBytes, reader);
  }
}
