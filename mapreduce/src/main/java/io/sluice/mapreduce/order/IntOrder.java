package io.sluice.mapreduce.order;

import io.sluice.spill.sort.KeyOrder;
import org.apache.hadoop.io.WritableComparator;

/** {@code IntWritable}: four bytes, big-endian, signed. */
final class IntOrder implements KeyOrder {
  @Override
  public int compare(byte[] a, int aOff, int aLen, byte[] b, int bOff, int bLen) {
    return Integer.compare(
        WritableComparator.readInt(a, aOff), WritableComparator.readInt(b, bOff));
  }

  @Override
  public boolean hasPrefix() {
    return true;
  }

  @Override
  public long prefix(byte[] key, int off, int len) {
    // Flipping the sign bit makes the signed order the unsigned one.
    return (WritableComparator.readInt(key, off) ^ 0x8000_0000L) << 32;
  }

  @Override
  public boolean decides(long prefix) {
    return true;
  }
}
