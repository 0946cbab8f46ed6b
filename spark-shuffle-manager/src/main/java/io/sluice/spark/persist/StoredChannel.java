package io.sluice.spark.persist;

import io.sluice.spill.segment.Range;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.ReadableByteChannel;

/**
 * Reads a block from its first byte to its last. It copies the bytes, so a read after the pool was
 * closed fails instead of touching unmapped memory.
 *
 * <p>Thread contract: one thread. It owns nothing.
 */
final class StoredChannel implements ReadableByteChannel {
  private final BlockPool pool;
  private final StoredBytes bytes;
  private int rangeIndex;
  private long offsetBytes;
  private boolean open = true;

  StoredChannel(BlockPool pool, StoredBytes bytes) {
    this.pool = pool;
    this.bytes = bytes;
  }

  @Override
  public int read(ByteBuffer destination) throws IOException {
    if (rangeIndex == bytes.ranges().size()) {
      return -1;
    }
    Range range = bytes.ranges().get(rangeIndex);
    int n = (int) Math.min(destination.remaining(), range.lengthBytes() - offsetBytes);
    pool.copy(bytes, range, offsetBytes, destination.slice(destination.position(), n));
    destination.position(destination.position() + n);
    offsetBytes += n;
    if (offsetBytes == range.lengthBytes()) {
      rangeIndex++;
      offsetBytes = 0;
    }
    return n;
  }

  @Override
  public boolean isOpen() {
    return open;
  }

  @Override
  public void close() {
    open = false;
  }
}
