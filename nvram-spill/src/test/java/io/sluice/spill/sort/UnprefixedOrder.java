package io.sluice.spill.sort;

import java.util.Arrays;

/** Like a job's own comparator: bytes in reverse order, no prefix; counts its comparisons. */
final class UnprefixedOrder implements KeyOrder {
  long comparisons;
  long failAt = -1;

  @Override
  public int compare(byte[] a, int aOffset, int aLength, byte[] b, int bOffset, int bLength) {
    if (++comparisons == failAt) {
      throw new IllegalArgumentException("the job's comparator failed");
    }
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
