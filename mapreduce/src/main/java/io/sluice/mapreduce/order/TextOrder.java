package io.sluice.mapreduce.order;

import io.sluice.spill.sort.BytePrefix;
import io.sluice.spill.sort.KeyOrder;
import java.util.Arrays;
import org.apache.hadoop.io.WritableUtils;

/** {@code Text}: a vint length, then UTF-8 bytes that order as unsigned bytes do. */
final class TextOrder implements KeyOrder {
  @Override
  public int compare(byte[] a, int aOff, int aLen, byte[] b, int bOff, int bLen) {
    int aSkip = WritableUtils.decodeVIntSize(a[aOff]);
    int bSkip = WritableUtils.decodeVIntSize(b[bOff]);
    return Arrays.compareUnsigned(a, aOff + aSkip, aOff + aLen, b, bOff + bSkip, bOff + bLen);
  }

  @Override
  public boolean hasPrefix() {
    return true;
  }

  @Override
  public long prefix(byte[] key, int off, int len) {
    int skip = WritableUtils.decodeVIntSize(key[off]);
    return BytePrefix.of(key, off + skip, len - skip);
  }

  @Override
  public int prefixLevels() {
    return BytePrefix.LEVELS;
  }

  @Override
  public long prefix(byte[] key, int off, int len, int level) {
    int skip = WritableUtils.decodeVIntSize(key[off]);
    return BytePrefix.of(key, off + skip, len - skip, level);
  }

  @Override
  public boolean decides(long prefix) {
    return BytePrefix.decides(prefix);
  }
}
