package io.sluice.mapreduce.order;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.sluice.rdma.testing.TestSeed;
import io.sluice.spill.sort.KeyOrder;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import org.apache.hadoop.io.DataOutputBuffer;
import org.apache.hadoop.io.Writable;
import org.apache.hadoop.io.WritableComparable;
import org.apache.hadoop.io.WritableComparator;
import org.junit.jupiter.api.Test;

/** An order of ours against the comparator that Hadoop registers for the type, both on bytes. */
abstract class KeyOrderContract {
  private static final int MARGIN_BYTES = 3;

  private final Class<? extends WritableComparable<?>> keyClass;
  private final WritableComparator stock;
  private final KeyOrder order;

  KeyOrderContract(Class<? extends WritableComparable<?>> keyClass) {
    this.keyClass = keyClass;
    this.stock = WritableComparator.get(keyClass);
    this.order = KeyOrders.of(keyClass, stock);
  }

  /** Keys at the edges of the order. */
  abstract List<? extends Writable> edgeKeys();

  abstract Writable randomKey(Random random);

  /** Keys of up to {@code maxLength} bytes, of few different ones, so that many begin alike. */
  static byte[] randomBytes(Random random, int maxLength) {
    byte[] alphabet = {0, 1, 'a', 0x7f, (byte) 0x80, (byte) 0xff};
    byte[] bytes = new byte[random.nextInt(maxLength + 1)];
    for (int i = 0; i < bytes.length; i++) {
      bytes[i] = random.nextInt(4) > 0 ? alphabet[2] : alphabet[random.nextInt(alphabet.length)];
    }
    return bytes;
  }

  /** Edges of keys that are strings of bytes. */
  static List<byte[]> edgeBytes() {
    List<byte[]> edges = new ArrayList<>();
    for (int length : new int[] {0, 1, 6, 7, 8, 14, 56, 57, 63, 64, 126, 127, 128, 129, 255, 256}) {
      for (int fill : new int[] {0, 'a', 0x80, 0xff}) {
        byte[] bytes = new byte[length];
        Arrays.fill(bytes, (byte) fill);
        edges.add(bytes);
        if (length > 0) {
          byte[] last = bytes.clone();
          last[length - 1]++;
          edges.add(last);
        }
      }
    }
    return edges;
  }

  @Test
  void isAnOrderOfOurs() {
    assertTrue(order.hasPrefix(), keyClass + " has an order by prefix");
  }

  @Test
  void edgeKeysOrderAsStockOrdersThem() throws IOException {
    List<byte[]> keys = new ArrayList<>();
    for (Writable key : edgeKeys()) {
      keys.add(serialized(key));
    }
    assertAllPairs(keys);
  }

  @Test
  void randomKeysOrderAsStockOrdersThem() throws IOException {
    Random random = TestSeed.random();
    List<byte[]> keys = new ArrayList<>();
    for (int i = 0; i < 400; i++) {
      keys.add(serialized(randomKey(random)));
    }
    assertAllPairs(keys);
  }

  private static byte[] serialized(Writable key) throws IOException {
    DataOutputBuffer out = new DataOutputBuffer();
    key.write(out);
    return Arrays.copyOf(out.getData(), out.getLength());
  }

  private void assertAllPairs(List<byte[]> keys) {
    for (byte[] a : keys) {
      for (byte[] b : keys) {
        assertLaws(a, b);
      }
    }
  }

  private void assertLaws(byte[] a, byte[] b) {
    byte[] inB = new byte[b.length + 2 * MARGIN_BYTES];
    Arrays.fill(inB, (byte) 0x55);
    System.arraycopy(b, 0, inB, MARGIN_BYTES, b.length);
    int expected = Integer.signum(stock.compare(a, 0, a.length, inB, MARGIN_BYTES, b.length));
    int actual = Integer.signum(order.compare(a, 0, a.length, inB, MARGIN_BYTES, b.length));
    if (expected != actual) {
      assertEquals(expected, actual, () -> "compare of " + pair(a, b));
    }
    for (int level = 0; level < order.prefixLevels(); level++) {
      long aPrefix = prefix(a, 0, a.length, level);
      long bPrefix = prefix(inB, MARGIN_BYTES, b.length, level);
      int at = level;
      if (aPrefix != bPrefix) {
        int byPrefix = Long.compareUnsigned(aPrefix, bPrefix);
        assertEquals(expected, byPrefix, () -> "prefixes of level " + at + " of " + pair(a, b));
        return;
      }
      if (order.decides(aPrefix)) {
        assertEquals(0, expected, () -> "level " + at + " decides wrongly on " + pair(a, b));
        return;
      }
    }
  }

  private long prefix(byte[] key, int offset, int length, int level) {
    return level == 0
        ? order.prefix(key, offset, length)
        : order.prefix(key, offset, length, level);
  }

  private static String pair(byte[] a, byte[] b) {
    return Arrays.toString(a) + " and " + Arrays.toString(b);
  }
}
