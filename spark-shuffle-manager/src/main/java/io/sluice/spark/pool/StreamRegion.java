package io.sluice.spark.pool;

import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.nio.channels.WritableByteChannel;
import org.apache.spark.network.util.AbstractFileRegion;

/**
 * Sends a block through Netty, one window at a time. Several blocks are sent at once. The whole
 * output of a map task, sent when its executor is decommissioned, may be larger than the heap.
 *
 * <p>Thread contract: one thread. Ownership: closes the stream when Netty releases it. Failure:
 * {@link IOException} once the output or the pool is gone; the connection then ends.
 */
public final class StreamRegion extends AbstractFileRegion {
  /** Length of a window. */
  public static final int WINDOW_BYTES = 64 << 10;

  private final InputStream bytes;
  private final long lengthBytes;
  private final ByteBuffer window = ByteBuffer.allocate(WINDOW_BYTES).limit(0);
  private long transferredBytes;

  /** Sends so many bytes of the stream, and owns the stream. */
  public StreamRegion(InputStream bytes, long lengthBytes) {
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
    if (!window.hasRemaining() && transferredBytes < lengthBytes) {
      int n = bytes.read(window.array(), 0, WINDOW_BYTES);
      if (n < 0) {
        throw new EOFException("ends after " + transferredBytes + " of " + lengthBytes + " bytes");
      }
      window.position(0).limit(n);
    }
    int n = target.write(window);
    transferredBytes += n;
    return n;
  }

  @Override
  protected void deallocate() {
    try {
      bytes.close();
    } catch (IOException e) {
      throw new IllegalStateException("the stream of a block could not be closed", e);
    }
  }
}
