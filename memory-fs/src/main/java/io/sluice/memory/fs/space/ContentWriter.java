package io.sluice.memory.fs.space;

import io.sluice.memory.fs.space.FileExtents.FileExtent;
import io.sluice.rdma.text.ErrorText;
import io.sluice.spill.disk.Device;
import java.io.Closeable;
import java.io.IOException;
import java.nio.ByteBuffer;

/**
 * Appends to a file. Bytes go straight into memory extents, and through a buffer into disk extents.
 *
 * <p>Thread contract: one thread at a time, and one writer of a file. Ownership: the caller closes
 * it; the content stays its holder's. Failure: a write that finds no room writes nothing, and later
 * writes may succeed; after an {@link IOException} of the disk every call fails.
 */
public final class ContentWriter implements Closeable {
  private static final long LEAST_LEASE_BYTES = 256 << 10;
  private static final long MOST_LEASE_BYTES = 16 << 20;

  private final FileContent content;
  private FileExtents extents = FileExtents.NONE;
  private int index;
  private long positionBytes;
  private ByteBuffer staged; // last bytes for the extent at the index; null until needed
  private IOException failure;

  /** Begins at the end of the content. */
  public ContentWriter(FileContent content) {
    this.content = content;
    this.positionBytes = content.lengthBytes();
  }

  /** The position of the next byte. */
  public long positionBytes() {
    return positionBytes;
  }

  /** Writes all bytes or none. */
  public void write(byte[] bytes, int offset, int lengthBytes) throws IOException {
    checkSound();
    if (lengthBytes == 0) {
      return;
    }
    if (extents.roomBytes() - positionBytes < lengthBytes) {
      grow(lengthBytes);
    }
    int end = offset + lengthBytes;
    for (int from = offset; from < end; ) {
      if (positionBytes == extents.endBytes(index)) {
        settle();
        index++;
      }
      int offsetBytes = (int) (positionBytes - extents.startBytes(index));
      int n = (int) Math.min(end - from, extents.endBytes(index) - positionBytes);
      FileExtent extent = extents.extent(index);
      if (extent.memory() != null) {
        extent.memory().put(offsetBytes, bytes, from, n);
      } else {
        n = stage(bytes, from, n);
      }
      positionBytes += n;
      from += n;
    }
  }

  private void grow(int lengthBytes) throws IOException {
    long growthBytes = Math.max(LEAST_LEASE_BYTES, Math.min(MOST_LEASE_BYTES, positionBytes));
    extents = content.grow(positionBytes + lengthBytes, growthBytes);
    if (staged == null || staged.position() == 0) { // else its extent is not full yet
      index = extents.indexOf(positionBytes);
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

  /** Writes the buffer into its extent. */
  private void settle() throws IOException {
    if (staged == null || staged.position() == 0) {
      return;
    }
    long fromBytes = positionBytes - staged.position();
    try {
      extents.extent(index).write((int) (fromBytes - extents.startBytes(index)), staged.flip());
      staged.clear();
    } catch (IOException e) {
      failure = e;
      throw e;
    }
  }

  /** Makes all written bytes visible to readers. */
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

  /** Makes all written bytes visible, and frees the room behind them. */
  @Override
  public void close() throws IOException {
    try {
      publish();
    } finally {
      content.trim().close();
    }
  }
}
