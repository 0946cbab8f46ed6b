package io.sluice.spill.cipher;

import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.LongAdder;

/**
 * How much was encrypted and decrypted, and the time that it took.
 *
 * <p>Thread contract: safe from any thread.
 */
public final class CipherStats {
  private final LongAdder encryptedBytes = new LongAdder();
  private final LongAdder decryptedBytes = new LongAdder();
  private final LongAdder ns = new LongAdder();

  void encrypted(int bytes, long tookNs) {
    encryptedBytes.add(bytes);
    ns.add(tookNs);
  }

  void decrypted(int bytes, long tookNs) {
    decryptedBytes.add(bytes);
    ns.add(tookNs);
  }

  /** Bytes of records, as they were before, compressed if they were. */
  public long encryptedBytes() {
    return encryptedBytes.sum();
  }

  /** Bytes of records, as they are then, compressed if they are. */
  public long decryptedBytes() {
    return decryptedBytes.sum();
  }

  /** Both ways, of all threads. */
  public long ms() {
    return TimeUnit.NANOSECONDS.toMillis(ns.sum());
  }
}
