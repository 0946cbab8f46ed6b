package io.sluice.spark.pool;

import io.netty.handler.stream.ChunkedStream;
import io.sluice.spill.segment.Range;
import io.sluice.spill.store.CommittedOutput;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.List;
import org.apache.spark.network.buffer.ManagedBuffer;

/**
 * A block in this executor's pool, as Spark hands blocks around. Its bytes are copied when they are
 * read, by windows, so that a block that outlives the pool, or its output, fails instead of giving
 * what lies in that memory now.
 *
 * <p>Thread contract: immutable; each stream belongs to one thread. It owns nothing: retain and
 * release do nothing.
 */
public final class PoolBlock extends ManagedBuffer {
  private final ExecutorPool pool;
  private final CommittedOutput output;
  private final List<Range> ranges;
  private final long lengthBytes;

  PoolBlock(ExecutorPool pool, CommittedOutput output, List<Range> ranges) {
    this.pool = pool;
    this.output = output;
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
      pool.copy(output, range.segmentId(), range.offsetBytes(), part);
      copy.position(copy.position() + (int) range.lengthBytes());
    }
    return copy.flip();
  }

  @Override
  public PoolInputStream createInputStream() {
    return new PoolInputStream(pool, output, ranges);
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
