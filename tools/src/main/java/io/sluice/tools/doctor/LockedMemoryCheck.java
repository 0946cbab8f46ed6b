package io.sluice.tools.doctor;

import io.sluice.rdma.memory.LockedMemoryLimit;
import io.sluice.rdma.text.ErrorText;
import java.io.IOException;
import java.util.List;

/**
 * Whether a pool of the default size could be pinned for a NIC.
 *
 * @param files where the kernel shows limits and RDMA devices
 */
record LockedMemoryCheck(SystemFiles files) implements Check {
  private static final String SUBJECT = "locked memory";
  private static final long POOL_BYTES = 1L << 30; // the default pool, registered as a whole

  @Override
  public List<Finding> look() {
    LockedMemoryLimit limit =
        new LockedMemoryLimit(files.path("/proc/self/limits"), files.path("/proc/self/status"));
    try {
      long allowedBytes = limit.allowedBytes();
      if (allowedBytes == Long.MAX_VALUE) {
        return List.of(Finding.ok(SUBJECT, "unlimited"));
      }
      String what = "%s may be pinned for a NIC".formatted(ByteSize.of(allowedBytes));
      if (allowedBytes >= POOL_BYTES) {
        return List.of(Finding.ok(SUBJECT, what));
      }
      String cause =
          "RLIMIT_MEMLOCK (ulimit -l) is smaller than the default pool of %s; only RDMA needs it"
              .formatted(ByteSize.of(POOL_BYTES));
      String remedy =
          "ulimit -l unlimited before the process starts; for good: LimitMEMLOCK=infinity in the"
              + " NodeManager's systemd unit, or \"USER - memlock unlimited\" in"
              + " /etc/security/limits.conf";
      return List.of(
          RdmaPort.read(files).isEmpty()
              ? Finding.info(SUBJECT, what, cause, remedy)
              : Finding.problem(SUBJECT, what, cause, remedy));
    } catch (IOException e) {
      return List.of(Finding.info(SUBJECT, "cannot be read", ErrorText.of(e), ""));
    }
  }
}
