package io.sluice.node.wire;

import java.io.OutputStream;
import java.nio.ByteBuffer;
import java.util.Arrays;

/**
 * A frame while it is written. Differs from {@link java.io.ByteArrayOutputStream} in that it takes
 * no lock for each byte, which were most of the work of a long answer, and is not copied at the
 * end.
 *
 * <p>Thread contract: one thread. Ownership: heap memory. Failure: {@link ProtocolException} as
 * soon as it is too long.
 */
final class FrameBytes extends OutputStream {
  private static final int FIRST_BYTES = 256;

  private final int mostBytes;
  private byte[] bytes = new byte[FIRST_BYTES];
  private int lengthBytes;

  /** Of a frame of up to so many bytes. */
  FrameBytes(int mostBytes) {
    this.mostBytes = mostBytes;
  }

  @Override
  public void write(int b) throws ProtocolException {
    makeRoom(1);
    bytes[lengthBytes++] = (byte) b;
  }

  @Override
  public void write(byte[] source, int offset, int count) throws ProtocolException {
    makeRoom(count);
    System.arraycopy(source, offset, bytes, lengthBytes, count);
    lengthBytes += count;
  }

  private void makeRoom(int moreBytes) throws ProtocolException {
    long neededBytes = (long) lengthBytes + moreBytes;
    if (neededBytes > mostBytes) {
      throw new ProtocolException(
          "a message of " + neededBytes + " bytes so far exceeds the limit of " + mostBytes);
    }
    if (neededBytes > bytes.length) {
      long longer = Math.max(neededBytes, 2L * bytes.length);
      bytes = Arrays.copyOf(bytes, (int) Math.min(mostBytes, longer));
    }
  }

  /** The written bytes; nothing may be written after this. */
  ByteBuffer buffer() {
    return ByteBuffer.wrap(bytes, 0, lengthBytes).slice();
  }
}
