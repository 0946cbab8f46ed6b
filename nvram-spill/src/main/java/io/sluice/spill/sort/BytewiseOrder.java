package io.sluice.spill.sort;

import java.util.Arrays;

/**
 * Unsigned bytes from first to last, the shorter key first if it begins the other. A subclass may
 * leave a header of each key out.
 *
 * <p>Thread contract: stateless.
 */
public class BytewiseOrder implements KeyOrder {
  /** The length of the header of a key, which the order ignores. */
  protected int headerBytes(byte[] key, int offset) {
    return 0;
  }

  @Override
  public final int compare(byte[] a, int aOffset, int aLength, byte[] b, int bOffset, int bLength) {
    return Arrays.compareUnsigned(
        a,
        aOffset + headerBytes(a, aOffset),
        aOffset + aLength,
        b,
        bOffset + headerBytes(b, bOffset),
        bOffset + bLength);
  }

  @Override
  public final boolean hasPrefix() {
    return true;
  }

  @Override
  public final long prefix(byte[] key, int offset, int length) {
    int headerBytes = headerBytes(key, offset);
    return BytePrefix.of(key, offset + headerBytes, length - headerBytes);
  }

  @Override
  public final int prefixLevels() {
    return BytePrefix.LEVELS;
  }

  @Override
  public final long prefix(byte[] key, int offset, int length, int level) {
    int headerBytes = headerBytes(key, offset);
    return BytePrefix.of(key, offset + headerBytes, length - headerBytes, level);
  }

  @Override
  public final boolean decides(long prefix) {
    return BytePrefix.decides(prefix);
  }
}
