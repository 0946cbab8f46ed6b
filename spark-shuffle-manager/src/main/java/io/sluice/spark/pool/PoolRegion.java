package io.sluice.spark.pool;

import java.io.IOException;
import java.nio.channels.WritableByteChannel;
import org.apache.spark.network.util.AbstractFileRegion;

/**
 * A block as Netty sends it, a window at a time: the output of a whole map task, which is sent when
 * its executor is decommissioned, may be larger than the heap.
 *
 * <p>Thread contract: one thread. It owns nothing that had to be released. Failure: {@link
 * IOException} once the output or the pool is gone.
 */
final class PoolRegion extends AbstractFileRegion {
  private final PoolInputStream bytes;
  private final long lengthBytes;
  private long transferredBytes;

  PoolRegion(PoolInputStream bytes, long lengthBytes) {
    this.bytes = bytes;
    this.lengthBytes = lengthBytes;
  }

  @Override
  public long position() {
    return 0;
  }

  @Override
  public long count() {
    return lengthBytes;
  }

  @Override
  public long transferred() {
    return transferredBytes;
  }

  @Override
  public long transferTo(WritableByteChannel target, long positionBytes) throws IOException {
    if (positionBytes != transferredBytes) {
      throw new IllegalArgumentException(
          "position " + positionBytes + ", expected the next one, " + transferredBytes);
    }
    int n = bytes.transferTo(target);
    transferredBytes += n;
    return n;
  }

  @Override
  protected void deallocate() {
    // nothing of it is reserved
  }
}
