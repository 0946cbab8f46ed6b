package io.sluice.spill.segment;

import io.sluice.rdma.memory.Mapping;
import java.io.Closeable;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.util.ArrayList;
import java.util.List;

/**
 * Read-only views of some ranges of the store, usually those of one run.
 *
 * <p>Thread contract: one thread at a time. Ownership: whoever asked {@link SegmentMapper} for it
 * closes it, after the last access through its buffers; an access after that crashes the JVM.
 */
public final class MappedRanges implements Closeable {
  private final List<Mapping> mappings = new ArrayList<>();

  MappedRanges() {}

  /** The bytes, in order; each buffer holds one range, positions are the caller's to move. */
  public List<ByteBuffer> buffers() {
    return mappings.stream().map(Mapping::buffer).toList();
  }

  void add(SegmentFile file, Range range) throws IOException {
    long endBytes = range.endBytes();
    for (long offsetBytes = range.offsetBytes(); offsetBytes < endBytes; ) {
      int lengthBytes = (int) Math.min(endBytes - offsetBytes, Extent.MAX_LENGTH_BYTES);
      mappings.add(file.map(FileChannel.MapMode.READ_ONLY, offsetBytes, lengthBytes));
      offsetBytes += lengthBytes;
    }
  }

  /** Removes the mappings; idempotent. */
  @Override
  public void close() {
    mappings.forEach(Mapping::close);
    mappings.clear();
  }
}
