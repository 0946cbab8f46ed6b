package io.sluice.spill.cipher;

import javax.crypto.Cipher;

/**
 * What the runs of one output are decrypted with. It comes from what the reader knows of the
 * output; a run's header has a part in it, but decides nothing.
 *
 * <p>Thread contract: safe from any thread. Ownership: who made the {@link ShuffleKey} or {@link
 * OutputKey} behind it closes that, when nothing is read any more.
 */
public abstract class RunKey {
  private final CipherStats stats;

  RunKey(CipherStats stats) {
    this.stats = stats;
  }

  /**
   * What decrypts runs with this salt; who asked for it hands it to {@link #readToTheEnd} or
   * destroys its key.
   *
   * @param run how messages call it
   * @throws ForgedRunException if no writer of the output can have written this
   */
  abstract FrameCipher open(String run, byte[] marker, byte[] salt) throws ForgedRunException;

  /** A run was: what it was decrypted with may do for the next one. */
  abstract void readToTheEnd(byte[] salt, FrameCipher cipher);

  static FrameCipher decrypting(RawKey aes) {
    return new FrameCipher(Cipher.DECRYPT_MODE, aes, AesGcm.provider());
  }

  final CipherStats stats() {
    return stats;
  }
}
