package io.sluice.spill.cipher;

import io.sluice.spill.cipher.DecryptedRunInput.ForgedRunException;
import io.sluice.spill.cipher.ShuffleKey.CipherStats;
import java.io.Closeable;
import java.util.Arrays;

/**
 * The key with which one writer of one output encrypts its runs. It also numbers the runs: a run's
 * number is part of every nonce, so no number is given twice, also after a failed run.
 *
 * <p>A {@link ShuffleKey} is the job's; this key has one writer. A second writer, of another
 * attempt or of a merge, has another salt and so another key.
 *
 * <p>Thread contract: safe from any thread. Ownership: the caller that asked for it closes it after
 * the last write and read, which makes the key zero. Failure: {@link IllegalStateException} when a
 * partition has had 2<sup>31</sup> runs, or the key is used after {@link #close}.
 */
public final class OutputKey extends RunKey implements Closeable {
  private final byte[] marker;
  private final byte[] salt;
  private final RawKey aes;
  private final int[] begunRuns;

  /** Takes over the key. */
  OutputKey(byte[] marker, byte[] salt, RawKey aes, int partitions, CipherStats stats) {
    super(stats);
    this.marker = marker;
    this.salt = salt;
    this.aes = aes;
    this.begunRuns = new int[partitions];
  }

  byte[] marker() {
    return marker;
  }

  byte[] salt() {
    return salt;
  }

  RawKey aes() {
    return aes;
  }

  /** The number of the run of a partition that begins now. */
  synchronized int nextOrdinal(int partition) {
    int ordinal = begunRuns[partition];
    if (ordinal == Integer.MAX_VALUE) {
      throw new IllegalStateException("partition " + partition + " has too many runs for one key");
    }
    begunRuns[partition]++;
    return ordinal;
  }

  @Override
  FrameCipher open(String run, byte[] runMarker, byte[] runSalt) throws ForgedRunException {
    if (!Arrays.equals(marker, runMarker) || !Arrays.equals(salt, runSalt)) {
      throw new ForgedRunException(run, "it is of another writer", null);
    }
    return decrypting(new RawKey(aes.getEncoded(), aes.getAlgorithm()));
  }

  @Override
  void readToTheEnd(byte[] runSalt, FrameCipher cipher) {
    cipher.key().destroy(); // each run is read once
  }

  @Override
  public void close() {
    aes.destroy();
  }

  @Override
  public String toString() {
    return aes.toString();
  }
}
