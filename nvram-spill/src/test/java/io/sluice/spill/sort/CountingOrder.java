package io.sluice.spill.sort;

/** Counts another order's full comparisons and further prefixes, and fails the n-th if asked to. */
final class CountingOrder implements KeyOrder {
  private final KeyOrder order;
  private final long failAt;
  long comparisons;
  long furtherPrefixes;

  CountingOrder(KeyOrder order, long failAt) {
    this.order = order;
    this.failAt = failAt;
  }

  @Override
  public int compare(byte[] a, int aOffset, int aLength, byte[] b, int bOffset, int bLength) {
    if (++comparisons == failAt) {
      throw new IllegalArgumentException("the job's comparator failed");
    }
    return order.compare(a, aOffset, aLength, b, bOffset, bLength);
  }

  @Override
  public boolean hasPrefix() {
    return order.hasPrefix();
  }

  @Override
  public long prefix(byte[] key, int offset, int length) {
    return order.prefix(key, offset, length);
  }

  @Override
  public int prefixLevels() {
    return order.prefixLevels();
  }

  @Override
  public long prefix(byte[] key, int offset, int length, int level) {
    furtherPrefixes++;
    return order.prefix(key, offset, length, level);
  }

  @Override
  public boolean decides(long prefix) {
    return order.decides(prefix);
  }
}
