package io.sluice.spill.sort;

/**
 * Big-endian two's complement integers of 1 to 8 bytes, all keys of one width; unlike {@link
 * BytewiseOrder}, the prefix is the whole key and always decides.
 *
 * <p>Thread contract: stateless. Failure: {@link IllegalArgumentException} for a key of another
 * width.
 */
public final class SignedOrder implements KeyOrder {
  private final int widthBytes;

  /**
   * @param widthBytes length of every key: 4 for an int, 8 for a long
   */
  public SignedOrder(int widthBytes) {
    if (widthBytes < 1 || widthBytes > 8) {
      throw new IllegalArgumentException(
          "width of an integer key is " + widthBytes + " bytes, expected 1 to 8");
    }
    this.widthBytes = widthBytes;
  }

  @Override
  public int compare(byte[] a, int aOffset, int aLength, byte[] b, int bOffset, int bLength) {
    return Long.compareUnsigned(prefix(a, aOffset, aLength), prefix(b, bOffset, bLength));
  }

  @Override
  public boolean hasPrefix() {
    return true;
  }

  @Override
  public long prefix(byte[] key, int offset, int length) {
    if (length != widthBytes) {
      throw new IllegalArgumentException(
          "integer key has " + length + " bytes, expected " + widthBytes);
    }
    long value = 0;
    for (int i = 0; i < length; i++) {
      value = value << 8 | key[offset + i] & 0xff;
    }
    return value << 64 - 8 * length ^ Long.MIN_VALUE;
  }

  @Override
  public boolean decides(long prefix) {
    return true;
  }
}
