package io.sluice.spill.cipher;

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
   * The AES key for runs with this salt, which the caller destroys.
   *
   * @param run how messages call it
   * @throws ForgedRunException if no writer of the output can have written this
   */
  abstract RawKey open(String run, byte[] marker, byte[] salt) throws ForgedRunException;

  final CipherStats stats() {
    return stats;
  }
}
