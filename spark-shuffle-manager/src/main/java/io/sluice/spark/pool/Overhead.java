package io.sluice.spark.pool;

import java.util.Optional;
import org.apache.spark.SparkConf;

/**
 * The part of an executor's container that is neither heap nor memory with a setting of its own, as
 * Spark sizes it on YARN and Kubernetes.
 *
 * <p>Thread contract: immutable.
 *
 * @param isOfContainer whether the application's cluster sizes containers by it
 * @param ownBytes what Spark would ask for if nothing was set, which it needs itself
 * @param setBytes what the user has set; empty if that is nothing
 */
record Overhead(boolean isOfContainer, long ownBytes, Optional<Long> setBytes) {
  static final String NAME = "spark.executor.memoryOverhead";

  private static final long MIB = 1L << 20;

  static Overhead of(SparkConf conf) {
    String master = conf.get("spark.master", "");
    double factor =
        conf.getDouble(
            NAME + "Factor", conf.getDouble("spark.kubernetes.memoryOverheadFactor", 0.1));
    long heapMib = conf.getSizeAsMb("spark.executor.memory", "1g");
    long leastMib = conf.getSizeAsMb("spark.executor.minMemoryOverhead", "384m");
    long ownMib = Math.max((long) (factor * heapMib), leastMib);
    Optional<Long> set =
        conf.contains(NAME) ? Optional.of(conf.getSizeAsMb(NAME) * MIB) : Optional.empty();
    return new Overhead(master.equals("yarn") || master.startsWith("k8s://"), ownMib * MIB, set);
  }

  /** What is left for a pool. */
  long leftBytes() {
    return Math.max(0, setBytes.orElse(0L) - ownBytes);
  }

  @Override
  public String toString() {
    return setBytes
        .map(
            bytes ->
                "%s is %s MiB, of which Spark itself needs %s"
                    .formatted(NAME, bytes / MIB, ownBytes / MIB))
        .orElse(NAME + " is not set, so that the container has no memory for a pool");
  }
}
