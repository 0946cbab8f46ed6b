package io.sluice.mapreduce.testing;

import io.sluice.spill.merge.RunInput;
import java.nio.ByteBuffer;

/** A run on the heap. */
public final class HeapRunInput implements RunInput {
  private final ByteBuffer bytes;

  public HeapRunInput(byte[] bytes) {
    this.bytes = ByteBuffer.wrap(bytes);
  }

  @Override
  public int read(byte[] dst, int offset, int lengthBytes) {
    if (!bytes.hasRemaining()) {
      return -1;
    }
    int count = Math.min(lengthBytes, bytes.remaining());
    bytes.get(dst, offset, count);
    return count;
  }

  @Override
  public long remainingBytes() {
    return bytes.remaining();
  }

  @Override
  public void close() {}
}
