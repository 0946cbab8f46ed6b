package io.sluice.spark.metrics;

import java.io.Serializable;
import java.util.List;
import java.util.Map;

/**
 * What one executor, or the driver, says of itself. It travels by Java serialization.
 *
 * @param executorId as Spark numbers them, or {@code driver}
 * @param host where it runs
 * @param takenAtMs when it said so, by its own clock
 * @param pool how it is with its pool, for people
 * @param transports that it serves and reads with, best first
 * @param memory the memory tier of its pool
 * @param disk the disk tier of its pool
 * @param outputs how many map outputs its pool holds
 * @param serviceBytes of map outputs that it wrote to its node's service
 * @param bytesByWay bytes that its tasks read, by the way they came
 * @param fallbacks how often something was left to Spark, by reason
 * @param persisted the pool of persisted blocks
 * @param persistedBlocks how many blocks are in it
 */
public record ExecutorReport(
    String executorId,
    String host,
    long takenAtMs,
    String pool,
    List<String> transports,
    TierUse memory,
    TierUse disk,
    int outputs,
    long serviceBytes,
    Map<String, Long> bytesByWay,
    Map<String, Long> fallbacks,
    TierUse persisted,
    int persistedBlocks)
    implements Serializable {

  /**
   * How full a tier is.
   *
   * @param usedBytes bytes that are taken
   * @param capacityBytes most bytes of the tier; 0 if it has no limit of its own
   */
  public record TierUse(long usedBytes, long capacityBytes) implements Serializable {
    /** Of a tier that does not exist. */
    public static final TierUse NONE = new TierUse(0, 0);
  }
}
