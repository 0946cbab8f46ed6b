package io.sluice.spark.metrics;

import io.sluice.node.client.ReadStats;
import io.sluice.spill.cipher.ShuffleKey.CipherStats;
import java.util.Map;
import java.util.TreeMap;

/**
 * Counts the bytes that this executor reads and writes, and fallbacks to Spark with their reasons.
 *
 * <p>Thread contract: safe from any thread.
 */
public final class ShuffleCounters {
  /** Blocks that tasks read in the pool of their own executor or node. */
  public static final String OWN_POOL = "local";

  /** Remote blocks of Sluice's shuffles that Spark's own client fetched. */
  public static final String THROUGH_SPARK = "spark";

  private final Fallbacks fallbacks =
      new Fallbacks("Sluice leaves something to Spark's own shuffle");
  private final Map<String, Long> bytesByWay = new TreeMap<>();
  private ReadStats peers;
  private CipherStats cipher = new CipherStats(); // counts nothing: nothing is encrypted
  private long movedHereBytes;
  private long serviceBytes;

  /** Counts a fallback to Spark's own shuffle; the first one for each reason is logged. */
  public void fellBack(String reason) {
    fallbacks.add(reason);
  }

  /**
   * Counts a shuffle of an application that Sluice leaves to Spark as a whole; that was logged
   * before.
   */
  public void declined(String reason) {
    fallbacks.count(reason);
  }

  /** Takes the counters of bytes that tasks read in peers' pools. */
  public synchronized void countReadsOf(ReadStats peers) {
    this.peers = peers;
  }

  /** Takes the counters of encryption and decryption. */
  public synchronized void countCipher(CipherStats counted) {
    cipher = counted;
  }

  /** Bytes that were encrypted and decrypted here, and the time it took. */
  public synchronized CipherStats cipher() {
    return cipher;
  }

  /** Counts an output that came from a decommissioned executor. */
  public synchronized void movedHere(long lengthBytes) {
    movedHereBytes += lengthBytes;
  }

  /** Counts a map output that was committed to the node's service. */
  public synchronized void wroteToService(long lengthBytes) {
    serviceBytes += lengthBytes;
  }

  /** Counts a block that a task has read. */
  public synchronized void read(String way, long bytes) {
    bytesByWay.merge(way, bytes, Long::sum);
  }

  /** Number of fallbacks, by reason. */
  public Map<String, Long> fallbacks() {
    return fallbacks.counts();
  }

  /** Bytes of outputs that came from decommissioned executors. */
  public synchronized long movedHereBytes() {
    return movedHereBytes;
  }

  /** Bytes of outputs that were committed to the node's service. */
  public synchronized long serviceBytes() {
    return serviceBytes;
  }

  /**
   * Bytes read, by transport, and {@link ReadStats#INLINED} for bytes that came with answers,
   * {@link #OWN_POOL} or {@link #THROUGH_SPARK}.
   */
  public synchronized Map<String, Long> bytesByWay() {
    Map<String, Long> all = new TreeMap<>(bytesByWay);
    if (peers != null) {
      peers.bytesByWay().forEach((way, bytes) -> all.merge(way, bytes, Long::sum));
    }
    return all;
  }
}
