package io.sluice.spill.merge;

import java.io.IOException;
import java.util.Random;

/** Delivers as few bytes at once as the seed says, and tells how often it was closed. */
final class TrickleRunInput implements RunInput {
  private final byte[] bytes;
  private final Random random;
  private final IOException closeFailure;
  private int at;
  int closeCount;

  TrickleRunInput(byte[] bytes, long seed) {
    this(bytes, seed, null);
  }

  TrickleRunInput(byte[] bytes, long seed, IOException closeFailure) {
    this.bytes = bytes;
    this.random = new Random(seed);
    this.closeFailure = closeFailure;
  }

  @Override
  public int read(byte[] dst, int offset, int lengthBytes) {
    if (at == bytes.length) {
      return -1;
    }
    int count = Math.min(1 + random.nextInt(lengthBytes), bytes.length - at);
    System.arraycopy(bytes, at, dst, offset, count);
    at += count;
    return count;
  }

  @Override
  public long remainingBytes() {
    return bytes.length - at;
  }

  @Override
  public void close() throws IOException {
    closeCount++;
    if (closeFailure != null) {
      throw closeFailure;
    }
  }
}
