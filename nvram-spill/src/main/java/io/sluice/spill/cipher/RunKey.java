package io.sluice.spill.cipher;

import io.sluice.spill.cipher.DecryptedRunInput.ForgedRunException;
import io.sluice.spill.cipher.FrameCipher.AesGcm;
import io.sluice.spill.cipher.ShuffleKey.CipherStats;
import javax.crypto.Cipher;

/**
 * Decrypts the runs of one output. It is derived from the id of the output, which the reader knows,
 * and from the salt in a run's header.
 *
 * <p>Thread contract: safe from any thread. Ownership: the maker of the {@link ShuffleKey} or
 * {@link OutputKey} behind it closes that after the last read.
 */
public abstract class RunKey {
  private final CipherStats stats;

  RunKey(CipherStats stats) {
    this.stats = stats;
  }

  /**
   * A cipher for runs with this salt. The caller passes it to {@link #readToTheEnd} or destroys its
   * key.
   *
   * @param run name for messages
   * @throws ForgedRunException if no writer of the output can have written this
   */
  abstract FrameCipher open(String run, byte[] marker, byte[] salt) throws ForgedRunException;

  /** Takes the cipher of a run that was read to its end; it may serve the next run. */
  abstract void readToTheEnd(byte[] salt, FrameCipher cipher);

  static FrameCipher decrypting(RawKey aes) {
    return new FrameCipher(Cipher.DECRYPT_MODE, aes, AesGcm.provider());
  }

  final CipherStats stats() {
    return stats;
  }
}
