package io.sluice.spark.metrics;

import java.io.Serializable;

/**
 * How full a tier is.
 *
 * @param usedBytes that cannot be given to anybody now
 * @param capacityBytes most it may hold; 0 = no limit of its own
 */
public record TierUse(long usedBytes, long capacityBytes) implements Serializable {
  /** Of a tier that does not exist. */
  public static final TierUse NONE = new TierUse(0, 0);
}
