package io.sluice.mapreduce.order;

import io.sluice.spill.sort.KeyOrder;
import org.apache.hadoop.io.RawComparator;

/** The job's own comparator, for keys whose bytes say nothing about their order. */
final class ComparatorOrder implements KeyOrder {
  private final RawComparator<?> comparator;

  ComparatorOrder(RawComparator<?> comparator) {
    this.comparator = comparator;
  }

  @Override
  public int compare(byte[] a, int aOff, int aLen, byte[] b, int bOff, int bLen) {
    return comparator.compare(a, aOff, aLen, b, bOff, bLen);
  }

  @Override
  public boolean hasPrefix() {
    return false;
  }

  @Override
  public long prefix(byte[] key, int off, int len) {
    return 0;
  }

  @Override
  public boolean decides(long prefix) {
    return false;
  }
}
