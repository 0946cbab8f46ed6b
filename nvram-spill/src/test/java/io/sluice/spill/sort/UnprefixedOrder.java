package io.sluice.spill.sort;

import java.util.Arrays;

/** Like a job's own comparator: bytes in reverse order, no prefix. */
public final class UnprefixedOrder implements KeyOrder {
  @Override
  public int compare(byte[] a, int aOffset, int aLength, byte[] b, int bOffset, int bLength) {
    return Arrays.compareUnsigned(b, bOffset, bOffset + bLength, a, aOffset, aOffset + aLength);
  }

  @Override
  public boolean hasPrefix() {
    return false;
  }

  @Override
  public long prefix(byte[] key, int offset, int length) {
    throw new AssertionError("no prefix");
  }

  @Override
  public boolean decides(long prefix) {
    throw new AssertionError("no prefix");
  }
}
