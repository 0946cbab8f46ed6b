package io.sluice.spill.format;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;

import io.sluice.rdma.testing.TestSeed;
import io.sluice.spill.format.RecordFormat.VInt;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class VIntTest {
  /** Bytes as WritableUtils.writeVInt of Hadoop 3.5.0 writes them. */
  @ParameterizedTest
  @CsvSource({
    "-1, ff",
    "0, 00",
    "1, 01",
    "127, 7f",
    "128, 8f80",
    "255, 8fff",
    "256, 8e0100",
    "65535, 8effff",
    "65536, 8d010000",
    "16777215, 8dffffff",
    "16777216, 8c01000000",
    "2147483647, 8c7fffffff"
  })
  void writesAndReadsHadoopsBytes(int value, String hex) {
    byte[] expected = HexFormat.of().parseHex(hex);
    assertArrayEquals(expected, encode(value));
    assertRoundTrip(value);
  }

  @Test
  void roundTripsLengthsOfEveryMagnitude() {
    Random random = TestSeed.random();
    for (int i = 0; i < 20_000; i++) {
      assertRoundTrip(random.nextInt() >>> 1 + random.nextInt(31));
    }
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "fe",
        "90",
        "87ff",
        "8bffffffffff",
        "80",
        "88ffffffffffffffff",
        "8c80000000",
        "8cffffffff"
      })
  void refusesNumbersThatAreNoLength(String hex) {
    byte[] bytes = HexFormat.of().parseHex(hex);
    assertEquals(VInt.MALFORMED, VInt.get(bytes, 0));
    assertEquals(VInt.MALFORMED, VInt.get(ByteBuffer.wrap(bytes), 0));
  }

  private static void assertRoundTrip(int value) {
    byte[] encoded = encode(value);
    assertEquals(encoded.length, VInt.size(value));
    assertEquals(encoded.length, VInt.sizeAt(encoded[0]));
    assertEquals(value, VInt.get(encoded, 0));
    ByteBuffer direct = ByteBuffer.allocateDirect(10);
    assertEquals(3 + encoded.length, VInt.put(direct, 3, value));
    assertEquals(value, VInt.get(direct, 3));
    byte[] copy = new byte[encoded.length];
    direct.get(3, copy);
    assertArrayEquals(encoded, copy);
  }

  private static byte[] encode(int value) {
    byte[] bytes = new byte[VInt.MAX_BYTES];
    return Arrays.copyOf(bytes, VInt.put(bytes, 0, value));
  }
}
