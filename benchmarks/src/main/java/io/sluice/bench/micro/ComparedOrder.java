package io.sluice.bench.micro;

import io.sluice.spill.sort.KeyOrder;
import java.util.Arrays;

/** The same as {@link BytewiseOrder}, as an order of which nothing else is known. Stateless. */
final class ComparedOrder implements KeyOrder {
  @Override
  public int compare(byte[] a, int aOffset, int aLength, byte[] b, int bOffset, int bLength) {
    return Arrays.compareUnsigned(a, aOffset, aOffset + aLength, b, bOffset, bOffset + bLength);
  }

  @Override
  public boolean hasPrefix() {
    return false;
  }

  @Override
  public long prefix(byte[] key, int offset, int length) {
    throw new UnsupportedOperationException("no prefix");
  }

  @Override
  public boolean decides(long prefix) {
    throw new UnsupportedOperationException("no prefix");
  }
}
