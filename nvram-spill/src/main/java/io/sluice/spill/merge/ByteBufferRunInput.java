package io.sluice.spill.merge;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.zip.CRC32C;

/**
 * A run that lies in memory already, in one or more pieces: views of mapped segments, or of buffers
 * it was fetched into.
 *
 * <p>Thread contract: single thread; leaves position and limit of the given buffers alone.
 * Ownership: whoever gave the buffers keeps the memory mapped until {@link #close}, after which
 * they are no longer touched. Failure: {@link ChecksumException} from the {@link #read} that
 * reaches the end, before it delivers the last bytes.
 */
public final class ByteBufferRunInput implements RunInput {
  private final String name;
  private final long lengthBytes;
  private final int expectedCrc32c;
  private final CRC32C crc32c = new CRC32C();
  private List<ByteBuffer> pieces;
  private int pieceNumber;
  private long remainingBytes;
  private boolean verified;

  /**
   * @param name what messages call the run: attempt, partition, host
   * @param pieces the run's bytes, from each buffer's position to its limit
   */
  public ByteBufferRunInput(String name, List<ByteBuffer> pieces, int expectedCrc32c) {
    this.name = name;
    this.expectedCrc32c = expectedCrc32c;
    this.pieces = new ArrayList<>(pieces.size());
    for (ByteBuffer piece : pieces) {
      this.pieces.add(piece.duplicate());
      remainingBytes += piece.remaining();
    }
    this.lengthBytes = remainingBytes;
  }

  @Override
  public int read(byte[] dst, int offset, int length) throws ChecksumException {
    if (pieces == null) {
      throw new IllegalStateException("run " + name + " is closed");
    }
    int done = 0;
    while (done < length && remainingBytes > 0) {
      ByteBuffer piece = pieces.get(pieceNumber);
      int part = Math.min(length - done, piece.remaining());
      piece.get(dst, offset + done, part);
      done += part;
      remainingBytes -= part;
      if (!piece.hasRemaining()) {
        pieceNumber++;
      }
    }
    crc32c.update(dst, offset, done);
    if (remainingBytes == 0 && !verified) {
      verify();
    }
    return done == 0 && length > 0 ? -1 : done;
  }

  private void verify() throws ChecksumException {
    int actual = (int) crc32c.getValue();
    if (actual != expectedCrc32c) {
      throw new ChecksumException(name, lengthBytes, expectedCrc32c, actual);
    }
    verified = true;
  }

  @Override
  public long remainingBytes() {
    return remainingBytes;
  }

  @Override
  public void close() {
    pieces = null;
  }
}
