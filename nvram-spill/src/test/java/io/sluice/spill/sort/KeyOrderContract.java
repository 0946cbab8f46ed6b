package io.sluice.spill.sort;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.sluice.rdma.testing.TestSeed;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;

/** What {@link KeyOrder} promises, for pairs of nasty and of random keys. */
abstract class KeyOrderContract {
  abstract KeyOrder order();

  /** Keys at the edges of the order, as hex. */
  abstract List<String> nastyKeys();

  abstract byte[] randomKey(Random random);

  /** The order by other means. */
  abstract int expectedCompare(byte[] a, byte[] b);

  @Test
  void nastyKeysKeepTheLaws() {
    for (String a : nastyKeys()) {
      for (String b : nastyKeys()) {
        assertLaws(HexFormat.of().parseHex(a), HexFormat.of().parseHex(b));
      }
    }
  }

  @Test
  void randomKeysKeepTheLaws() {
    Random random = TestSeed.random();
    List<byte[]> keys = new ArrayList<>();
    for (int i = 0; i < 300; i++) {
      keys.add(randomKey(random));
    }
    for (byte[] a : keys) {
      for (byte[] b : keys) {
        assertLaws(a, b);
      }
    }
  }

  private void assertLaws(byte[] a, byte[] b) {
    KeyOrder order = order();
    String pair = HexFormat.of().formatHex(a) + " against " + HexFormat.of().formatHex(b);
    byte[] padded = new byte[b.length + 5];
    System.arraycopy(b, 0, padded, 3, b.length);
    int compared = order.compare(a, 0, a.length, padded, 3, b.length);
    assertEquals(
        Integer.signum(expectedCompare(a, b)), Integer.signum(compared), "compare of " + pair);
    if (!order.hasPrefix()) {
      return;
    }
    for (int level = 0; level < order.prefixLevels(); level++) {
      long aPrefix = prefix(a, 0, a.length, level);
      long bPrefix = prefix(padded, 3, b.length, level);
      String where = "prefixes of level " + level + " of " + pair;
      if (aPrefix != bPrefix) {
        assertEquals(Integer.signum(compared), Long.compareUnsigned(aPrefix, bPrefix), where);
        return;
      }
      if (order.decides(aPrefix)) {
        assertEquals(0, compared, where);
        return;
      }
    }
  }

  private long prefix(byte[] key, int offset, int length, int level) {
    return level == 0
        ? order().prefix(key, offset, length)
        : order().prefix(key, offset, length, level);
  }
}
