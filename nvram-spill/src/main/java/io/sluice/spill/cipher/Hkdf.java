package io.sluice.spill.cipher;

import java.security.GeneralSecurityException;
import java.util.Arrays;
import javax.crypto.Mac;

/**
 * Keys out of a secret: HKDF with HMAC-SHA-256 as RFC 5869 defines it, which JDK 17 has not.
 *
 * <p>Thread contract: stateless. Failure: {@link IllegalStateException} in a JVM without
 * HMAC-SHA-256, which every one must have.
 */
final class Hkdf {
  private static final String HMAC = "HmacSHA256";
  private static final int HASH_BYTES = 32;
  private static final int MAX_BLOCKS = 255;

  private Hkdf() {}

  /** A key of {@value #HASH_BYTES} bytes out of a secret of any length (section 2.2). */
  static RawKey extract(byte[] salt, byte[] secret) {
    // An HMAC's key is filled up with zeros: an empty one is the same as one of zeros.
    byte[] key = salt.length == 0 ? new byte[HASH_BYTES] : salt;
    Mac hmac = hmac(new RawKey(key.clone(), HMAC));
    return new RawKey(hmac.doFinal(secret), HMAC);
  }

  /** So many bytes for one purpose, which {@code info} names (section 2.3). */
  static byte[] expand(RawKey key, byte[] info, int lengthBytes) {
    if (lengthBytes > MAX_BLOCKS * HASH_BYTES) {
      throw new IllegalArgumentException("HKDF does not give " + lengthBytes + " bytes");
    }
    Mac hmac = hmac(key);
    byte[] expanded = new byte[lengthBytes];
    byte[] block = new byte[0];
    for (int at = 0, number = 1; at < lengthBytes; at += block.length, number++) {
      hmac.update(block);
      hmac.update(info);
      hmac.update((byte) number);
      Arrays.fill(block, (byte) 0);
      block = hmac.doFinal();
      System.arraycopy(block, 0, expanded, at, Math.min(block.length, lengthBytes - at));
    }
    Arrays.fill(block, (byte) 0);
    return expanded;
  }

  private static Mac hmac(RawKey key) {
    try {
      Mac hmac = Mac.getInstance(HMAC);
      hmac.init(key);
      return hmac;
    } catch (GeneralSecurityException e) {
      throw new IllegalStateException("this JVM has no usable " + HMAC, e);
    }
  }
}
