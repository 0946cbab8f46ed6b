package io.sluice.node.client;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.io.ByteArrayOutputStream;
import org.junit.jupiter.api.Test;

final class PackedNumbersTest {
  private static int lengthBytes(long number) {
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    out.write(0x55);
    PackedNumbers.write(out, number);
    PackedNumbers.write(out, 42);
    byte[] packed = out.toByteArray();
    assertEquals(number, PackedNumbers.at(packed, 1));
    int next = PackedNumbers.behind(packed, 1, 1);
    assertEquals(42, PackedNumbers.at(packed, next));
    assertEquals(packed.length, PackedNumbers.behind(packed, 1, 2));
    return next - 1;
  }

  @Test
  void takesAByteForSevenBits() {
    assertEquals(1, lengthBytes(0));
    for (int bits = 7; bits < Long.SIZE; bits += 7) {
      assertEquals(bits / 7, lengthBytes((1L << bits) - 1), bits + " bits");
      assertEquals(bits / 7 + 1, lengthBytes(1L << bits), bits + " bits");
    }
    assertEquals(9, lengthBytes(Long.MAX_VALUE));
    assertEquals(10, lengthBytes(-1));
    assertEquals(10, lengthBytes(Long.MIN_VALUE));
  }
}
