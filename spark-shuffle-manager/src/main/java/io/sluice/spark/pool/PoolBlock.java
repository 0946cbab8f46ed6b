package io.sluice.spark.pool;

import io.netty.handler.stream.ChunkedStream;
import io.sluice.rdma.text.ErrorText;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.ByteBuffer;
import java.nio.channels.WritableByteChannel;
import org.apache.spark.network.buffer.ManagedBuffer;
import org.apache.spark.network.util.AbstractFileRegion;

/**
 * A block in a pool, in the form in which Spark passes blocks on. Nothing is read before a stream
 * is opened. Encrypted bytes are decrypted, and Spark sends them as it sends its own files.
 *
 * <p>Thread contract: safe from any thread; each stream belongs to one. It owns nothing: retain and
 * release do nothing.
 */
public abstract class PoolBlock extends ManagedBuffer {
  /** Length of a window: the bytes that are sent at a time. */
  static final int WINDOW_BYTES = 64 << 10;

  private final long lengthBytes;

  /** A block of so many bytes, as Spark reads them. */
  protected PoolBlock(long lengthBytes) {
    this.lengthBytes = lengthBytes;
  }

  /** The bytes of a block differ from those that were written; its map task must run again. */
  public static final class DamagedBlockException extends IOException {
    private static final long serialVersionUID = 1L;

    /** {@code cause} names the damaged bytes. */
    public DamagedBlockException(IOException cause) {
      super(ErrorText.of(cause), cause);
    }
  }

  @Override
  public final long size() {
    return lengthBytes;
  }

  @Override
  public final ByteBuffer nioByteBuffer() throws IOException {
    byte[] copy = new byte[Math.toIntExact(lengthBytes)];
    try (InputStream bytes = createInputStream()) {
      int readBytes = bytes.readNBytes(copy, 0, copy.length);
      if (readBytes < copy.length) { // its output was written again meanwhile, and is shorter
        throw new EOFException("ends after " + readBytes + " of " + lengthBytes + " bytes");
      }
    }
    return ByteBuffer.wrap(copy);
  }

  @Override
  public final ManagedBuffer retain() {
    return this;
  }

  @Override
  public final ManagedBuffer release() {
    return this;
  }

  /** Verifies all bytes before it sends the first, so that a peer never gets half a block. */
  @Override
  public final Object convertToNetty() throws IOException {
    verify();
    return new StreamRegion(createInputStream(), lengthBytes);
  }

  @Override
  public final Object convertToNettyForSsl() throws IOException {
    verify();
    return new ChunkedStream(createInputStream(), WINDOW_BYTES);
  }

  private void verify() throws IOException {
    try (InputStream bytes = createInputStream()) {
      bytes.transferTo(OutputStream.nullOutputStream());
    }
  }

  /**
   * Sends a block through Netty, one window at a time. Several blocks are sent at once. The whole
   * output of a map task, sent when its executor is decommissioned, may be larger than the heap.
   *
   * <p>Thread contract: one thread. Ownership: closes the stream when Netty releases it. Failure:
   * {@link IOException} once the output or the pool is gone; the connection then ends.
   */
  private static final class StreamRegion extends AbstractFileRegion {
    private final InputStream bytes;
    private final long lengthBytes;
    private final ByteBuffer window = ByteBuffer.allocate(WINDOW_BYTES).limit(0);
    private long transferredBytes;

    StreamRegion(InputStream bytes, long lengthBytes) {
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
          throw new EOFException(
              "ends after " + transferredBytes + " of " + lengthBytes + " bytes");
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
}
