package io.sluice.spill.sort;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.sluice.spill.sort.KeyOrder.BytePrefix;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;

class BytewiseOrderTest extends KeyOrderContract {
  @Override
  KeyOrder order() {
    return new BytewiseOrder();
  }

  @Override
  List<String> nastyKeys() {
    return List.of(
        "",
        "00",
        "0000",
        "00000000000000",
        "0000000000000000",
        "000000000000000000",
        "01",
        "7f",
        "80",
        "ff",
        "ff00",
        "ffffffffffffff",
        "ffffffffffffffff",
        "ffffffffffffffff00",
        "61626364656667",
        "6162636465666700",
        "6162636465666768",
        "616263646566676869",
        "61626364656667ff");
  }

  @Override
  byte[] randomKey(Random random) {
    byte[] key = new byte[random.nextInt(20)];
    for (int i = 0; i < key.length; i++) {
      key[i] = (byte) (random.nextInt(3) - 1); // many ties, many zeroes
    }
    return key;
  }

  @Override
  int expectedCompare(byte[] a, byte[] b) {
    for (int i = 0; i < Math.min(a.length, b.length); i++) {
      if (a[i] != b[i]) {
        return Integer.compare(a[i] & 0xff, b[i] & 0xff);
      }
    }
    return Integer.compare(a.length, b.length);
  }

  @Test
  void goesOnWhereThePrefixBeforeEnds() {
    byte[] key = "0123456789abcdefghijklmnop".getBytes(StandardCharsets.US_ASCII);
    assertEquals(BytePrefix.of(key, 8, 6), BytePrefix.of(key, 1, 13, 1));
    assertEquals(BytePrefix.of(key, 15, 11), BytePrefix.of(key, 1, 25, 2));
  }

  @Test
  void decidesKeysUpToSevenBytes() {
    assertTrue(BytePrefix.decides(BytePrefix.of(new byte[7], 0, 7)));
    assertFalse(BytePrefix.decides(BytePrefix.of(new byte[8], 0, 8)));
  }
}
