package io.sluice.spark.pool;

import io.sluice.spill.segment.Range;
import io.sluice.spill.store.CommittedOutput;
import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.nio.channels.WritableByteChannel;
import java.util.List;

/**
 * The bytes of a block, copied out of the pool a window at a time.
 *
 * <p>Thread contract: one thread. Failure: {@link IOException} once the output or the pool is gone.
 */
final class PoolInputStream extends InputStream {
  static final int WINDOW_BYTES = 64 << 10;

  private final ExecutorPool pool;
  private final CommittedOutput output;
  private final List<Range> ranges;
  private final ByteBuffer window = ByteBuffer.allocate(WINDOW_BYTES).limit(0);
  private int nextRange;
  private long rangeOffsetBytes;

  PoolInputStream(ExecutorPool pool, CommittedOutput output, List<Range> ranges) {
    this.pool = pool;
    this.output = output;
    this.ranges = ranges;
  }

  @Override
  public int read() throws IOException {
    return fill() ? window.get() & 0xff : -1;
  }

  @Override
  public int read(byte[] destination, int offset, int lengthBytes) throws IOException {
    if (lengthBytes == 0) {
      return 0;
    }
    if (!fill()) {
      return -1;
    }
    int n = Math.min(lengthBytes, window.remaining());
    window.get(destination, offset, n);
    return n;
  }

  /** Writes what the channel takes of the next window; 0 at the end too. */
  int transferTo(WritableByteChannel target) throws IOException {
    return fill() ? target.write(window) : 0;
  }

  @Override
  public int available() {
    return window.remaining();
  }

  /** Whether there is a byte in the window, after filling it if need be. */
  private boolean fill() throws IOException {
    while (!window.hasRemaining()) {
      if (nextRange == ranges.size()) {
        return false;
      }
      Range range = ranges.get(nextRange);
      int n = (int) Math.min(WINDOW_BYTES, range.lengthBytes() - rangeOffsetBytes);
      pool.copy(
          output,
          range.segmentId(),
          range.offsetBytes() + rangeOffsetBytes,
          window.clear().limit(n).slice());
      rangeOffsetBytes += n;
      if (rangeOffsetBytes == range.lengthBytes()) {
        nextRange++;
        rangeOffsetBytes = 0;
      }
    }
    return true;
  }
}
