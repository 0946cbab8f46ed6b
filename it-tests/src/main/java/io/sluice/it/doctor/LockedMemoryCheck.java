package io.sluice.it.doctor;

import io.sluice.rdma.memory.LockedMemoryLimit;
import java.io.IOException;

/** Whether enough memory may be pinned for a NIC. */
final class LockedMemoryCheck implements Check {
  private static final String SUBJECT = "locked memory";
  private static final long POOL_BYTES = 1L << 30; // the default pool, registered as a whole

  @Override
  public Finding look() {
    try {
      return new LockedMemoryLimit()
          .refusal(POOL_BYTES)
          .map(refusal -> Finding.limited(SUBJECT, refusal + "; only RDMA needs this"))
          .orElseGet(() -> Finding.ok(SUBJECT, "1 GiB may be pinned"));
    } catch (IOException e) {
      return Finding.limited(SUBJECT, "the limit cannot be read: " + e.getMessage());
    }
  }
}
