package io.sluice.spill.store;

import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;

/**
 * Until when one lease may wait, and how that time is divided between memory and disks. All the
 * waits of a lease end together, before its task gives up waiting for the service.
 *
 * <p>Thread contract: immutable.
 */
final class LeaseDeadline {
  /**
   * All that one lease waits: less than its task waits for the service, with some seconds left for
   * a second directory.
   */
  static final long TIMEOUT_MS = 26_000;

  /** The part of a disk's deadline that a lease waits for what others have asked of disks. */
  private static final int SETTLE_PART = 4;

  private final LongSupplier nanoTime;
  private final long diskTimeoutMs;
  private final long endNs;

  /** Begins now. */
  LeaseDeadline(StoreState state) {
    this.nanoTime = state.nanoTime;
    this.diskTimeoutMs = state.config.diskTimeoutMs();
    this.endNs = nanoTime.getAsLong() + TimeUnit.MILLISECONDS.toNanos(TIMEOUT_MS);
  }

  private long leftMs() {
    return Math.max(0, TimeUnit.NANOSECONDS.toMillis(endNs - nanoTime.getAsLong()));
  }

  /** How long the lease may wait for what others have asked of disks; most is left for memory. */
  long settleMs() {
    return Math.min(diskTimeoutMs / SETTLE_PART, leftMs());
  }

  /**
   * How long the lease may wait for memory.
   *
   * @param last whether no disk is asked afterwards, which would have its own time for an answer
   */
  long memoryMs(boolean last) {
    long leftMs = leftMs();
    return last ? leftMs : Math.max(0, leftMs - diskTimeoutMs);
  }
}
