package io.sluice.mapreduce.order;

import io.sluice.spill.sort.KeyOrder;
import org.apache.hadoop.io.WritableComparator;

/** {@code LongWritable}: eight bytes, big-endian, signed. */
final class LongOrder implements KeyOrder {
  @Override
  public int compare(byte[] a, int aOff, int aLen, byte[] b, int bOff, int bLen) {
    return Long.compare(WritableComparator.readLong(a, aOff), WritableComparator.readLong(b, bOff));
  }

  @Override
  public boolean hasPrefix() {
    return true;
  }

  @Override
  public long prefix(byte[] key, int off, int len) {
    // Flipping the sign bit makes the signed order the unsigned one.
    return WritableComparator.readLong(key, off) ^ Long.MIN_VALUE;
  }

  @Override
  public boolean decides(long prefix) {
    return true;
  }
}
