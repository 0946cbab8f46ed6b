package io.sluice.spill.cipher;

import java.nio.ByteBuffer;
import java.security.GeneralSecurityException;
import javax.crypto.AEADBadTagException;
import javax.crypto.Cipher;
import javax.crypto.spec.GCMParameterSpec;

/**
 * Encrypts or decrypts the frames of runs, one call for each, between arrays that are not the same:
 * the JDK would copy what is decrypted in place.
 *
 * <p>Thread contract: one thread. Ownership: plain heap memory; the key is its owner's. Failure:
 * {@link IllegalStateException} in a JVM without AES-GCM, which every one must have.
 */
final class FrameCipher {
  private static final String TRANSFORMATION = "AES/GCM/NoPadding";

  private final Cipher cipher;
  private final int mode;
  private final RawKey key;

  /** For {@link Cipher#ENCRYPT_MODE} or {@link Cipher#DECRYPT_MODE}. */
  FrameCipher(int mode, RawKey key) {
    this.mode = mode;
    this.key = key;
    try {
      this.cipher = Cipher.getInstance(TRANSFORMATION);
    } catch (GeneralSecurityException e) {
      throw unusable(e);
    }
  }

  /**
   * One frame.
   *
   * @param aad that is authenticated beside it
   * @return how many bytes {@code out} has from {@code outOffset} on
   * @throws AEADBadTagException if it is decrypted and is not what was encrypted
   */
  int apply(
      byte[] nonce, ByteBuffer aad, byte[] in, int offset, int length, byte[] out, int outOffset)
      throws AEADBadTagException {
    try {
      cipher.init(mode, key, new GCMParameterSpec(8 * RunLayout.TAG_BYTES, nonce));
      cipher.updateAAD(aad);
      return cipher.doFinal(in, offset, length, out, outOffset);
    } catch (AEADBadTagException e) {
      throw e;
    } catch (GeneralSecurityException e) {
      throw unusable(e);
    }
  }

  private static IllegalStateException unusable(GeneralSecurityException cause) {
    return new IllegalStateException(TRANSFORMATION + " does not work in this JVM", cause);
  }
}
