package io.sluice.spill.store;

/**
 * What the outputs of one application hold.
 *
 * @param memoryBytes of their blocks in the memory tier
 * @param diskBytes of those in the disk tier
 */
public record ApplicationUse(String applicationId, long memoryBytes, long diskBytes) {
  /** On both tiers. */
  public long bytes() {
    return memoryBytes + diskBytes;
  }
}
