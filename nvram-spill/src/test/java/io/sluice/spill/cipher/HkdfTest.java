package io.sluice.spill.cipher;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import io.sluice.spill.cipher.ShuffleKey.Hkdf;
import java.util.HexFormat;
import org.junit.jupiter.api.Test;

/** The test vectors of RFC 5869, appendix A. */
class HkdfTest {
  private static byte[] hex(String hex) {
    return HexFormat.of().parseHex(hex);
  }

  private static byte[] count(int from, int to) {
    byte[] bytes = new byte[to - from];
    for (int i = 0; i < bytes.length; i++) {
      bytes[i] = (byte) (from + i);
    }
    return bytes;
  }

  private static byte[] derive(byte[] salt, byte[] secret, byte[] info, int lengthBytes) {
    return Hkdf.expand(Hkdf.extract(salt, secret), info, lengthBytes);
  }

  @Test
  void a1() {
    byte[] secret = hex("0b".repeat(22));
    byte[] salt = count(0, 13);
    assertArrayEquals(
        hex("077709362c2e32df0ddc3f0dc47bba6390b6c73bb50f9c3122ec844ad7c2b3e5"),
        Hkdf.extract(salt, secret).getEncoded());
    assertArrayEquals(
        hex(
            "3cb25f25faacd57a90434f64d0362f2a2d2d0a90cf1a5a4c5db02d56ecc4c5bf"
                + "34007208d5b887185865"),
        derive(salt, secret, count(0xf0, 0xfa), 42));
  }

  @Test
  void a2() {
    assertArrayEquals(
        hex(
            "b11e398dc80327a1c8e7f78c596a49344f012eda2d4efad8a050cc4c19afa97c"
                + "59045a99cac7827271cb41c65e590e09da3275600c2f09b8367793a9aca3db71"
                + "cc30c58179ec3e87c14c01d5c1f3434f1d87"),
        derive(count(0x60, 0xb0), count(0, 0x50), count(0xb0, 0x100), 82));
  }

  @Test
  void a3() {
    assertArrayEquals(
        hex(
            "8da4e775a563c18f715f802a063c5a31b8a11f5c5ee1879ec3454e5f3c738d2d"
                + "9d201395faa4b61a96c8"),
        derive(new byte[0], hex("0b".repeat(22)), new byte[0], 42));
  }

  @Test
  void givesNoMoreThanItCan() {
    RawKey key = Hkdf.extract(new byte[0], new byte[16]);
    assertThrows(IllegalArgumentException.class, () -> Hkdf.expand(key, new byte[0], 255 * 32 + 1));
  }
}
