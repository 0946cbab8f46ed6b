package io.sluice.bench.micro;

import io.sluice.spill.sort.BytewiseOrder;
import io.sluice.spill.sort.KeyOrder;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Random;
import java.util.function.Function;

/** Records as jobs have them. Stateless. */
public enum RecordKind {
  /** TeraSort's: ten random bytes, and 90. */
  TERA(90, random -> bytes(random, 10)),
  /** Addresses that begin alike, and a number. */
  URLS(4, random -> ascii("http://www.example.org/page/" + random.nextInt(1_000_000))),
  /** Zipf's words, most of which are there many times, and a number. */
  WORDS(
      4,
      random -> ascii("word" + Integer.toString((int) Math.pow(50_000, random.nextDouble()), 36))),
  /** Eight random bytes, and eight. */
  LONGS(8, random -> bytes(random, 8)),
  /** Ten random bytes, and a kilobyte. */
  LARGE(1_000, random -> bytes(random, 10)),
  /** TeraSort's, of which nothing is known but what a job's own comparator says of two. */
  COMPARED(90, random -> bytes(random, 10));

  private final int valueBytes;
  private final Function<Random, byte[]> key;

  RecordKind(int valueBytes, Function<Random, byte[]> key) {
    this.valueBytes = valueBytes;
    this.key = key;
  }

  /**
   * Records in the order in which a task would collect them.
   *
   * @param bytes keys and values, without gaps; the last ones may be left
   * @param keyBytes the length of each key
   * @param valueBytes the length of each value
   */
  record Records(byte[] bytes, int[] keyBytes, int valueBytes) {}

  KeyOrder order() {
    return this == COMPARED ? new ComparedOrder() : new BytewiseOrder();
  }

  /** So many as fill that length, the same ones each time. */
  Records make(int lengthBytes) {
    Random random = new Random(42);
    byte[] bytes = bytes(random, lengthBytes);
    int[] keyBytes = new int[lengthBytes / valueBytes];
    int records = 0;
    int at = 0;
    while (true) {
      byte[] next = key.apply(random);
      if (next.length + valueBytes > lengthBytes - at) {
        return new Records(bytes, Arrays.copyOf(keyBytes, records), valueBytes);
      }
      System.arraycopy(next, 0, bytes, at, next.length);
      keyBytes[records++] = next.length;
      at += next.length + valueBytes;
    }
  }

  private static byte[] bytes(Random random, int lengthBytes) {
    byte[] bytes = new byte[lengthBytes];
    random.nextBytes(bytes);
    return bytes;
  }

  private static byte[] ascii(String text) {
    return text.getBytes(StandardCharsets.US_ASCII);
  }

  /** The same as {@link BytewiseOrder}, called for each comparison. Stateless. */
  private static final class ComparedOrder implements KeyOrder {
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
}
