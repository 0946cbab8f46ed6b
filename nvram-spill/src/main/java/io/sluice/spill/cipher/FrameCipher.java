package io.sluice.spill.cipher;

import java.nio.ByteBuffer;
import java.security.GeneralSecurityException;
import java.util.concurrent.atomic.AtomicInteger;
import javax.crypto.AEADBadTagException;
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
 * {@link IllegalStateException} in a JVM without AES-GCM, which every one must have.
 */
final class FrameCipher {
  private static final String TRANSFORMATION = "AES/GCM/NoPadding";

  private static final int PIECE_BYTES = 128;
  private static final AtomicInteger FRAMES_IN_PIECES = new AtomicInteger(100);

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
      int done = mode == Cipher.ENCRYPT_MODE ? inPieces(in, offset, length, out, outOffset) : 0;
      return done + cipher.doFinal(in, offset + done, length - done, out, outOffset + done);
    } catch (AEADBadTagException e) {
      throw e;
    } catch (GeneralSecurityException e) {
      throw unusable(e);
    }
  }

  /** All but the last piece, while this JVM is young; else nothing. */
  private int inPieces(byte[] in, int offset, int length, byte[] out, int outOffset)
      throws GeneralSecurityException {
    int done = 0;
    if (FRAMES_IN_PIECES.get() > 0 && FRAMES_IN_PIECES.getAndDecrement() > 0) {
      while (length - done > PIECE_BYTES) {
        int encrypted = cipher.update(in, offset + done, PIECE_BYTES, out, outOffset + done);
        if (encrypted != PIECE_BYTES) {
          throw new IllegalStateException(cipher.getProvider() + " keeps back what it encrypts");
        }
        done += PIECE_BYTES;
      }
    }
    return done;
  }

  private static IllegalStateException unusable(GeneralSecurityException cause) {
    return new IllegalStateException(TRANSFORMATION + " does not work in this JVM", cause);
  }
}
