package io.sluice.bench.micro;

import io.sluice.spill.sort.KeyOrder;

/** The same as {@link BytewiseOrder}, as an order of which nothing else is known. Stateless. */
final class ComparedOrder implements KeyOrder {
  private final BytewiseOrder order = new BytewiseOrder();

  @Override
  public int compare(byte[] a, int aOffset, int aLength, byte[] b, int bOffset, int bLength) {
    return order.compare(a, aOffset, aLength, b, bOffset, bLength);
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
