package io.sluice.bench;

import io.sluice.spill.merge.RunInput;

/** A run in memory, of which each read gets as much as it asks for. One thread. */
public final class ArrayInput implements RunInput {
  private final byte[] bytes;
  private int at;

  /** Reads these bytes once. */
  public ArrayInput(byte[] bytes) {
    this.bytes = bytes;
  }

  @Override
  public int read(byte[] dst, int offset, int lengthBytes) {
    if (at == bytes.length) {
      return -1;
    }
    int count = Math.min(lengthBytes, bytes.length - at);
    System.arraycopy(bytes, at, dst, offset, count);
    at += count;
    return count;
  }

  @Override
  public long remainingBytes() {
    return bytes.length - at;
  }

  @Override
  public void close() {
    // It is on the heap.
  }
}
