package io.sluice.spark.metrics;

import io.sluice.node.client.ReadStats;
import io.sluice.spill.cipher.CipherStats;
import java.util.Map;
import java.util.TreeMap;

/**
 * Which ways the blocks of this executor went, and what was left to Spark and why.
 *
 * <p>Thread contract: safe from any thread.
 */
public final class ShuffleCounters {
  /** The way of blocks that tasks read out of the pool of their own executor. */
  public static final String OWN_POOL = "local";

  /** The way of remote blocks that Spark's own client fetched for a shuffle of Sluice's. */
  public static final String THROUGH_SPARK = "spark";

  private final Fallbacks fallbacks =
      new Fallbacks("Sluice leaves something to Spark's own shuffle");
  private final Map<String, Long> bytesByWay = new TreeMap<>();
  private ReadStats peers;
  private CipherStats cipher = new CipherStats(); // counts nothing: nothing is encrypted
  private long movedHereBytes;
  private long serviceBytes;

  /** Something was left to Spark's own shuffle; the first time for each reason, the log says so. */
  public void fellBack(String reason) {
    fallbacks.add(reason);
  }

  /** A shuffle of an application that is left to Spark as a whole, as its log says. */
  public void declined(String reason) {
    fallbacks.count(reason);
  }

  /** Where what tasks read out of peers' pools is counted. */
  public synchronized void countReadsOf(ReadStats peers) {
    this.peers = peers;
  }

  /** Where what is encrypted and decrypted is counted. */
  public synchronized void countCipher(CipherStats counted) {
    cipher = counted;
  }

  /** What was encrypted and decrypted here, and how long it took. */
  public synchronized CipherStats cipher() {
    return cipher;
  }

  /** An output was taken over from an executor that is decommissioned. */
  public synchronized void movedHere(long lengthBytes) {
    movedHereBytes += lengthBytes;
  }

  /** A map output was committed to the node's service. */
  public synchronized void wroteToService(long lengthBytes) {
    serviceBytes += lengthBytes;
  }

  /** A task has read a block that way. */
  public synchronized void read(String way, long bytes) {
    bytesByWay.merge(way, bytes, Long::sum);
  }

  /** How often, by reason. */
  public Map<String, Long> fallbacks() {
    return fallbacks.counts();
  }

  /** Bytes of outputs that were taken over. */
  public synchronized long movedHereBytes() {
    return movedHereBytes;
  }

  /** Bytes of outputs that were committed to the node's service. */
  public synchronized long serviceBytes() {
    return serviceBytes;
  }

  /**
   * Bytes that came over each transport, with answers ({@link ReadStats#INLINED}), {@link
   * #OWN_POOL} or {@link #THROUGH_SPARK}.
   */
  public synchronized Map<String, Long> bytesByWay() {
    Map<String, Long> all = new TreeMap<>(bytesByWay);
    if (peers != null) {
      peers.bytesByWay().forEach((way, bytes) -> all.merge(way, bytes, Long::sum));
    }
    return all;
  }
}
