package io.sluice.spill.cipher;

import java.nio.ByteBuffer;
import java.security.GeneralSecurityException;
import java.security.Provider;
import java.util.concurrent.atomic.AtomicInteger;
import javax.crypto.AEADBadTagException;
import javax.crypto.BadPaddingException;
import javax.crypto.Cipher;
import javax.crypto.spec.GCMParameterSpec;

/**
 * Encrypts or decrypts the frames of runs, one call for each, between arrays that are not the same:
 * the JDK would copy what is decrypted in place.
 *
 * <p>A young JVM encrypts in pieces. What makes GCM fast is compiled once it was called often, and
 * whole frames call it seldom: for the first thousand of them, 32 MB, each takes a thirty-fold. In
 * pieces it is called often enough within the first few, and a task's first 32 MB take 0.2 s of the
 * processor instead of 0.6 ({@code CipherBenchmark}). Decrypting cannot be had in pieces: the JDK
 * keeps those until the tag is there.
 *
 * <p>Thread contract: one thread. Ownership: plain heap memory; the key is its owner's. Failure:
 * {@link IllegalStateException} if the provider cannot be used; a trial finds out which one can.
 */
final class FrameCipher {
  static final String TRANSFORMATION = "AES/GCM/NoPadding";

  private static final int PIECE_BYTES = 128;
  private static final AtomicInteger FRAMES_IN_PIECES = new AtomicInteger(100);

  private final Cipher cipher;
  private final int mode;
  private final RawKey key;

  /** For {@link Cipher#ENCRYPT_MODE} or {@link Cipher#DECRYPT_MODE}. */
  FrameCipher(int mode, RawKey key, Provider provider) {
    this.mode = mode;
    this.key = key;
    try {
      this.cipher = Cipher.getInstance(TRANSFORMATION, provider);
    } catch (GeneralSecurityException e) {
      throw unusable(provider, e);
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
      int inPieces = mode == Cipher.ENCRYPT_MODE ? inPieces(length) : 0;
      int made = 0;
      for (int done = 0; done < inPieces; done += PIECE_BYTES) {
        // How much of it comes now is the provider's affair.
        made += cipher.update(in, offset + done, PIECE_BYTES, out, outOffset + made);
      }
      return made + cipher.doFinal(in, offset + inPieces, length - inPieces, out, outOffset + made);
    } catch (BadPaddingException e) { // what some providers throw is not the one for tags
      if (mode == Cipher.ENCRYPT_MODE) {
        throw unusable(cipher.getProvider(), e);
      }
      throw e instanceof AEADBadTagException badTag ? badTag : badTag(e);
    } catch (GeneralSecurityException e) {
      throw unusable(cipher.getProvider(), e);
    }
  }

  /** What it encrypts or decrypts with; whoever destroys that uses this no more. */
  RawKey key() {
    return key;
  }

  /** How much of a frame goes in pieces: all but the last one, while this JVM is young. */
  private static int inPieces(int length) {
    boolean young = FRAMES_IN_PIECES.get() > 0 && FRAMES_IN_PIECES.getAndDecrement() > 0;
    return young && length > 0 ? (length - 1) / PIECE_BYTES * PIECE_BYTES : 0;
  }

  private static AEADBadTagException badTag(BadPaddingException cause) {
    AEADBadTagException badTag = new AEADBadTagException(cause.getMessage());
    badTag.initCause(cause);
    return badTag;
  }

  private static IllegalStateException unusable(Provider provider, GeneralSecurityException cause) {
    return new IllegalStateException(
        TRANSFORMATION + " of " + provider.getName() + " does not work: " + cause, cause);
  }
}
