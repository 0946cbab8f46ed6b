package io.sluice.memory.fs.space;

import io.sluice.rdma.text.ErrorText;
import io.sluice.spill.disk.Device;
import java.io.Closeable;
import java.io.IOException;
import java.nio.ByteBuffer;

/**
 * Adds to the end of a file: straight into memory, and by way of a buffer where it lies on disk.
 *
 * <p>Thread contract: one thread at a time, and one writer of a file. Ownership: who makes it
 * closes it; the content stays its holder's. Failure: of a write for which there is no room nothing
 * is written, and others may follow; after an {@link IOException} of the disk every call fails.
 */
public final class ContentWriter implements Closeable {
  private static final long LEAST_LEASE_BYTES = 256 << 10;
  private static final long MOST_LEASE_BYTES = 16 << 20;

  private final FileContent content;
  private FileExtents pieces = FileExtents.NONE;
  private int index;
  private long positionBytes;
  private ByteBuffer staged; // for the piece at the index, up to the position; null before any
  private IOException failure;

  /** Begins at the end. */
  public ContentWriter(FileContent content) {
    this.content = content;
    this.positionBytes = content.lengthBytes();
  }

  /** Where the next byte goes. */
  public long positionBytes() {
    return positionBytes;
  }

  /** Writes all of it or nothing. */
  public void write(byte[] bytes, int offset, int lengthBytes) throws IOException {
    checkSound();
    if (lengthBytes == 0) {
      return;
    }
    if (pieces.roomBytes() - positionBytes < lengthBytes) {
      grow(lengthBytes);
    }
    int end = offset + lengthBytes;
    for (int from = offset; from < end; ) {
      if (positionBytes == pieces.endBytes(index)) {
        settle();
        index++;
      }
      int offsetBytes = (int) (positionBytes - pieces.startBytes(index));
      int n = (int) Math.min(end - from, pieces.endBytes(index) - positionBytes);
      FileExtent piece = pieces.piece(index);
      if (piece.memory() != null) {
        piece.memory().put(offsetBytes, bytes, from, n);
      } else {
        n = stage(bytes, from, n);
      }
      positionBytes += n;
      from += n;
    }
  }

  private void grow(int lengthBytes) throws IOException {
    long growthBytes = Math.max(LEAST_LEASE_BYTES, Math.min(MOST_LEASE_BYTES, positionBytes));
    pieces = content.grow(positionBytes + lengthBytes, growthBytes);
    if (staged == null || staged.position() == 0) { // else it still is where that goes
      index = pieces.indexOf(positionBytes);
    }
  }

  private int stage(byte[] bytes, int from, int lengthBytes) throws IOException {
    if (staged == null) {
      staged = ByteBuffer.allocate(Device.UNIT_BYTES);
    }
    if (!staged.hasRemaining()) {
      settle();
    }
    int n = Math.min(lengthBytes, staged.remaining());
    staged.put(bytes, from, n);
    return n;
  }

  /** What is staged is in its piece then. */
  private void settle() throws IOException {
    if (staged == null || staged.position() == 0) {
      return;
    }
    long fromBytes = positionBytes - staged.position();
    try {
      pieces.piece(index).write((int) (fromBytes - pieces.startBytes(index)), staged.flip());
      staged.clear();
    } catch (IOException e) {
      failure = e;
      throw e;
    }
  }

  /** Shows readers all that was written. */
  public void publish() throws IOException {
    checkSound();
    settle();
    content.publish(positionBytes);
  }

  private void checkSound() throws IOException {
    if (failure != null) {
      throw new IOException(
          "an earlier write of the file failed: " + ErrorText.of(failure), failure);
    }
  }

  /** Shows what was written and gives back what it had leased beyond that. */
  @Override
  public void close() throws IOException {
    try {
      publish();
    } finally {
      content.trim().close();
    }
  }
}
