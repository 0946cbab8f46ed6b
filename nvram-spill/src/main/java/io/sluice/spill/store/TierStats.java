package io.sluice.spill.store;

/**
 * How full one tier is.
 *
 * @param capacityBytes most it may hold; 0 = no limit but the file system's (disk tier)
 * @param createdBytes length of the files that exist
 * @param leasedBytes held by writers that have not committed
 * @param committedBytes held by outputs
 * @param quarantinedBytes found without an output at recovery and not yet free
 */
public record TierStats(
    long capacityBytes,
    long createdBytes,
    long leasedBytes,
    long committedBytes,
    long quarantinedBytes) {

  /** Bytes that cannot be leased now. */
  public long usedBytes() {
    return leasedBytes + committedBytes + quarantinedBytes;
  }
}
