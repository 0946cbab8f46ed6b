package io.sluice.spark.pool;

import io.netty.handler.stream.ChunkedStream;
import io.sluice.spill.segment.Range;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.List;
import org.apache.spark.network.buffer.ManagedBuffer;

/**
 * A block in this executor's pool, as Spark hands blocks around. Its bytes are copied when they are
 * read, by windows, so that a block that outlives the pool fails instead of reaching into memory
 * that is gone.
 *
 * <p>Thread contract: immutable; each stream belongs to one thread. It owns nothing: retain and
 * release do nothing.
 */
public final class PoolBlock extends ManagedBuffer {
  private final ExecutorPool pool;
  private final List<Range> ranges;
  private final long lengthBytes;

  PoolBlock(ExecutorPool pool, List<Range> ranges) {
    this.pool = pool;
    this.ranges = List.copyOf(ranges);
    this.lengthBytes = ranges.stream().mapToLong(Range::lengthBytes).sum();
  }

  @Override
  public long size() {
    return lengthBytes;
  }

  @Override
  public ByteBuffer nioByteBuffer() throws IOException {
    ByteBuffer copy = ByteBuffer.allocate(Math.toIntExact(lengthBytes));
    for (Range range : ranges) {
      ByteBuffer part = copy.slice(copy.position(), (int) range.lengthBytes());
      pool.copy(range.segmentId(), range.offsetBytes(), part);
      copy.position(copy.position() + (int) range.lengthBytes());
    }
    return copy.flip();
  }

  @Override
  public PoolInputStream createInputStream() {
    return new PoolInputStream(pool, ranges);
  }

  @Override
  public ManagedBuffer retain() {
    return this;
  }

  @Override
  public ManagedBuffer release() {
    return this;
  }

  @Override
  public Object convertToNetty() {
    return new PoolRegion(createInputStream(), lengthBytes);
  }

  @Override
  public Object convertToNettyForSsl() {
    return new ChunkedStream(createInputStream(), PoolInputStream.WINDOW_BYTES);
  }
}
