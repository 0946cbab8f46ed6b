package io.sluice.node.wire;

import java.io.InputStream;

/**
 * A frame's payload while it is read. Differs from {@link java.io.ByteArrayInputStream} in that it
 * takes no lock for each byte, as {@link FrameBytes} does where it is written.
 *
 * <p>Thread contract: one thread.
 */
final class FrameInput extends InputStream {
  private final byte[] bytes;
  private final int end;
  private int position;

  /** Reads from an offset to the end. */
  FrameInput(byte[] bytes, int offset, int end) {
    this.bytes = bytes;
    this.position = offset;
    this.end = end;
  }

  @Override
  public int read() {
    return position < end ? bytes[position++] & 0xff : -1;
  }

  @Override
  public int read(byte[] destination, int offset, int count) {
    int n = Math.min(count, available());
    if (n == 0) {
      return count == 0 ? 0 : -1;
    }
    System.arraycopy(bytes, position, destination, offset, n);
    position += n;
    return n;
  }

  @Override
  public int available() {
    return end - position;
  }
}
