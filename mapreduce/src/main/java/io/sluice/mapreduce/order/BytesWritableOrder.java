package io.sluice.mapreduce.order;

import io.sluice.spill.sort.BytePrefix;
import io.sluice.spill.sort.KeyOrder;
import java.util.Arrays;

/** {@code BytesWritable}: four bytes of length, then bytes that order unsigned. */
final class BytesWritableOrder implements KeyOrder {
  private static final int LENGTH_BYTES = 4;

  @Override
  public int compare(byte[] a, int aOff, int aLen, byte[] b, int bOff, int bLen) {
    return Arrays.compareUnsigned(
        a, aOff + LENGTH_BYTES, aOff + aLen, b, bOff + LENGTH_BYTES, bOff + bLen);
  }

  @Override
  public boolean hasPrefix() {
    return true;
  }

  @Override
  public long prefix(byte[] key, int off, int len) {
    return BytePrefix.of(key, off + LENGTH_BYTES, len - LENGTH_BYTES);
  }

  @Override
  public int prefixLevels() {
    return BytePrefix.LEVELS;
  }

  @Override
  public long prefix(byte[] key, int off, int len, int level) {
    return BytePrefix.of(key, off + LENGTH_BYTES, len - LENGTH_BYTES, level);
  }

  @Override
  public boolean decides(long prefix) {
    return BytePrefix.decides(prefix);
  }
}
