package io.sluice.spill.store;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.Arrays;

/** A meta area on the heap that fails as often as it is told to. */
final class FailingArea implements MetaArea {
  private final byte[] bytes = new byte[1 << 10];
  private int writesUntilFailure = Integer.MAX_VALUE;
  private Error error;

  /** So many writes succeed, the next one fails, and those behind it succeed again. */
  void failAfter(int writes) {
    failAfter(writes, null);
  }

  /** The same with an error, as of memory that a file no longer stands behind. */
  void failAfter(int writes, Error error) {
    writesUntilFailure = writes;
    this.error = error;
  }

  private void write() throws IOException {
    if (writesUntilFailure-- == 0) {
      if (error != null) {
        throw error;
      }
      throw new IOException("Input/output error");
    }
  }

  @Override
  public void read(long offsetBytes, byte[] destination) {
    System.arraycopy(bytes, (int) offsetBytes, destination, 0, destination.length);
  }

  @Override
  public void fill(long offsetBytes, int lengthBytes, byte value) throws IOException {
    write();
    Arrays.fill(bytes, (int) offsetBytes, (int) offsetBytes + lengthBytes, value);
  }

  @Override
  public void writeLong(long offsetBytes, long value) throws IOException {
    write();
    ByteBuffer.wrap(bytes).putLong((int) offsetBytes, value);
  }

  @Override
  public void close() {}
}
