package io.sluice.spill.cipher;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import io.sluice.spill.cipher.FrameCipher.AesGcm;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.HexFormat;
import javax.crypto.AEADBadTagException;
import javax.crypto.Cipher;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Test cases 4 and 16 of the specification of GCM (McGrew and Viega, appendix B). */
class FrameCipherTest {
  private static final byte[] NONCE = hex("cafebabefacedbaddecaf888");
  private static final byte[] AAD = hex("feedfacedeadbeeffeedfacedeadbeefabaddad2");
  private static final byte[] PLAIN =
      hex(
          "d9313225f88406e5a55909c5aff5269a86a7a9531534f7da2e4c303d8a318a72"
              + "1c3c0c95956809532fcf0e2449a6b525b16aedf5aa0de657ba637b39");

  private static byte[] hex(String hex) {
    return HexFormat.of().parseHex(hex);
  }

  @ParameterizedTest
  @CsvSource({
    "feffe9928665731c6d6a8f9467308308,"
        + "42831ec2217774244b7221b784d0d49ce3aa212f2c02a4e035c17e2329aca12e"
        + "21d514b25466931c7d8f6a5aac84aa051ba30b396a0aac973d58e091"
        + "5bc94fbc3221a5db94fae95ae7121a47",
    "feffe9928665731c6d6a8f9467308308feffe9928665731c6d6a8f9467308308,"
        + "522dc1f099567d07f47f37a32a84427d643a8cdcbfe5c0c97598a2bd2555d1aa"
        + "8cb08e48590dbb3da7b08b1056828838c5f61e6393ba7a0abcc9f662"
        + "76fc6ece0f4e1768cddf8853bb2d551b"
  })
  void vectors(String key, String encrypted) throws Exception {
    RawKey aes = new RawKey(hex(key), "AES");
    byte[] out = new byte[100];
    int n =
        new FrameCipher(Cipher.ENCRYPT_MODE, aes, AesGcm.provider())
            .apply(NONCE, ByteBuffer.wrap(AAD), PLAIN, 0, PLAIN.length, out, 7);
    assertEquals(PLAIN.length + RunLayout.TAG_BYTES, n);
    assertArrayEquals(hex(encrypted), Arrays.copyOfRange(out, 7, 7 + n));

    FrameCipher decrypting = new FrameCipher(Cipher.DECRYPT_MODE, aes, AesGcm.provider());
    byte[] plain = new byte[PLAIN.length];
    decrypting.apply(NONCE, ByteBuffer.wrap(AAD), out, 7, n, plain, 0);
    assertArrayEquals(PLAIN, plain);
    byte[] otherAad = AAD.clone();
    otherAad[3] ^= 1;
    assertThrows(
        AEADBadTagException.class,
        () -> decrypting.apply(NONCE, ByteBuffer.wrap(otherAad), out, 7, n, plain, 0));
  }
}
