package io.sluice.spark.pool;

import io.sluice.spill.format.LocatedRun;
import io.sluice.spill.merge.RunInput;
import io.sluice.spill.segment.Range;
import io.sluice.spill.store.CommittedOutput;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.Iterator;

/**
 * A run in this executor's pool, copied out of it as it is read; unlike a mapped one it fails once
 * its output or the pool is gone. What it gives is not verified.
 *
 * <p>Thread contract: one thread. It owns nothing.
 */
final class ExecutorRunInput implements RunInput {
  private final ExecutorPool pool;
  private final CommittedOutput output;
  private final Iterator<Range> ranges;
  private long remainingBytes;
  private Range range;
  private long rangeOffsetBytes;

  ExecutorRunInput(ExecutorPool pool, CommittedOutput output, LocatedRun located) {
    this.pool = pool;
    this.output = output;
    this.ranges = located.place().ranges().iterator();
    this.remainingBytes = located.run().lengthBytes();
  }

  @Override
  public int read(byte[] dst, int offset, int lengthBytes) throws IOException {
    if (lengthBytes == 0) {
      return 0;
    }
    if (remainingBytes == 0) {
      return -1;
    }
    if (range == null || rangeOffsetBytes == range.lengthBytes()) {
      range = ranges.next();
      rangeOffsetBytes = 0;
    }
    int n = (int) Math.min(lengthBytes, range.lengthBytes() - rangeOffsetBytes);
    pool.copy(
        output,
        range.segmentId(),
        range.offsetBytes() + rangeOffsetBytes,
        ByteBuffer.wrap(dst, offset, n).slice());
    rangeOffsetBytes += n;
    remainingBytes -= n;
    return n;
  }

  @Override
  public long remainingBytes() {
    return remainingBytes;
  }

  @Override
  public void close() {
    // nothing is held
  }
}
