package io.sluice.spill.disk;

import io.sluice.rdma.metrics.WaitHistogram.WaitCounts;
import java.util.Map;

/**
 * A moment of a device.
 *
 * @param name a directory on it, the first that was used
 * @param hangs whether it does not answer now
 * @param classes by class, what was read or written so far; one that never was is absent
 */
public record DeviceStats(String name, boolean hangs, Map<IoClass, Done> classes) {
  /**
   * What was done.
   *
   * @param bytes so many
   * @param waits from when each unit was asked for until it was done, the queue included
   */
  public record Done(long bytes, WaitCounts waits) {}
}
