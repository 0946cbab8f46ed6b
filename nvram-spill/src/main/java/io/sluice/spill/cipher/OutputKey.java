package io.sluice.spill.cipher;

import java.io.Closeable;
import java.util.Arrays;

/**
 * What one writer of one output encrypts its runs with, and hands out their numbers: a run's number
 * is part of every nonce, so none is given twice, whatever becomes of the run.
 *
 * <p>It differs from a {@link ShuffleKey}, which is the job's, in that nobody else encrypts with
 * it: a second writer, of another attempt or of a merge, has another salt and so another key.
 *
 * <p>Thread contract: safe from any thread. Ownership: who asked for it closes it once nothing is
 * written or read with it any more, and that makes the key zero. Failure: {@link
 * IllegalStateException} when a partition has had 2<sup>31</sup> runs, or the key is used after
 * {@link #close}.
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
    cipher.key().destroy(); // nothing of it is read twice
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
