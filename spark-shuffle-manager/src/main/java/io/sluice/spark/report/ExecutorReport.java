package io.sluice.spark.report;

import java.io.Serializable;
import java.util.List;
import java.util.Map;

/**
 * The state of one executor, or of the driver, as it reports it. Java serialization carries it to
 * the driver.
 *
 * @param executorId as Spark numbers them, or {@code driver}
 * @param host where it runs
 * @param takenAtMs time of the report, by the executor's clock
 * @param pool state of its pool, for people
 * @param transports that it serves over, best first
 * @param memory the memory tier of its pool
 * @param disk the disk tier of its pool
 * @param outputs map outputs in its pool
 * @param serviceBytes bytes of map outputs that it wrote to its node's service
 * @param bytesByWay bytes that its tasks read, by transport or other source
 * @param fallbacks number of fallbacks to Spark, by reason
 * @param persisted the pool of persisted blocks
 * @param persistedBlocks blocks in that pool
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
