package io.sluice.it.limit;

/**
 * What a block device may do, each way.
 *
 * @param bytesPerS read and, besides, written
 * @param requestsPerS of either kind
 */
public record DeviceRate(long bytesPerS, int requestsPerS) {
  /** More than any device has. */
  public static final DeviceRate UNBOUNDED = new DeviceRate(1L << 40, Integer.MAX_VALUE);

  @Override
  public String toString() {
    return "%.0f MB/s and %d requests/s, each way".formatted(bytesPerS / 1e6, requestsPerS);
  }
}
