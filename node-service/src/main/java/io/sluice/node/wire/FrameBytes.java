package io.sluice.node.wire;

import java.io.OutputStream;
import java.nio.ByteBuffer;
import java.util.Arrays;

/**
 * A frame while it is written. Differs from {@link java.io.ByteArrayOutputStream} in that it takes
 * no lock for each byte, which were most of the work of a long answer, and is not copied at the
 * end.
 *
 * <p>Thread contract: one thread. Ownership: heap memory.
 */
final class FrameBytes extends OutputStream {
  private static final int FIRST_BYTES = 256;

  private byte[] bytes = new byte[FIRST_BYTES];
  private int lengthBytes;

  @Override
  public void write(int b) {
    makeRoom(1);
    bytes[lengthBytes++] = (byte) b;
  }

  @Override
  public void write(byte[] source, int offset, int count) {
    makeRoom(count);
    System.arraycopy(source, offset, bytes, lengthBytes, count);
    lengthBytes += count;
  }

  private void makeRoom(int moreBytes) {
    int neededBytes = Math.addExact(lengthBytes, moreBytes);
    if (neededBytes > bytes.length) {
      bytes =
          Arrays.copyOf(
              bytes,
              (int) Math.min(Integer.MAX_VALUE - 8, Math.max(neededBytes, 2L * bytes.length)));
    }
  }

  /** What was written, which is not to be written to any more. */
  ByteBuffer buffer() {
    return ByteBuffer.wrap(bytes, 0, lengthBytes).slice();
  }
}
