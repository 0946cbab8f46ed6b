package io.sluice.spill.sort;

import io.sluice.spill.sort.KeyOrder.BytePrefix;
import java.util.Arrays;

/**
 * Unsigned bytes from first to last, the shorter key first where one begins the other.
 *
 * <p>Thread contract: stateless.
 */
public final class BytewiseOrder implements KeyOrder {
  @Override
  public int compare(byte[] a, int aOffset, int aLength, byte[] b, int bOffset, int bLength) {
    return Arrays.compareUnsigned(a, aOffset, aOffset + aLength, b, bOffset, bOffset + bLength);
  }

  @Override
  public boolean hasPrefix() {
    return true;
  }

  @Override
  public long prefix(byte[] key, int offset, int length) {
    return BytePrefix.of(key, offset, length);
  }

  @Override
  public int prefixLevels() {
    return BytePrefix.LEVELS;
  }

  @Override
  public long prefix(byte[] key, int offset, int length, int level) {
    return BytePrefix.of(key, offset, length, level);
  }

  @Override
  public boolean decides(long prefix) {
    return BytePrefix.decides(prefix);
  }
}
