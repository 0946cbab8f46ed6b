package io.sluice.it.limit;

import java.io.IOException;
import java.nio.file.Path;
import java.util.Optional;

/**
 * Bounds a block device for the whole machine, in the root group of cgroup v1's {@code blkio}.
 *
 * <p>Only there does it hold for buffered writes: writeback belongs to the root group, and a
 * child's bound is for its direct I/O alone. So the device must be used by nobody else. Stateless.
 */
final class DeviceThrottle {
  private static final String PREFIX = "blkio.throttle.";

  private final KernelFiles files;
  private final Path root;

  private DeviceThrottle(KernelFiles files, Path root) {
    this.files = files;
    this.root = root;
  }

  /** That of this machine, if it has one. */
  static Optional<DeviceThrottle> find(KernelFiles files, OwnGroups own) {
    return Optional.ofNullable(own.roots().get("blkio"))
        .filter(root -> files.exists(root.resolve(PREFIX + "write_bps_device")))
        .map(root -> new DeviceThrottle(files, root));
  }

  /**
   * Sets all four bounds.
   *
   * @param device its numbers, such as 7:0
   */
  void set(String device, DeviceRate rate) throws IOException {
    write(device, rate.bytesPerS(), rate.requestsPerS());
  }

  /** Takes them away. */
  void clear(String device) throws IOException {
    write(device, 0, 0);
  }

  private void write(String device, long bytesPerS, int requestsPerS) throws IOException {
    for (String way : new String[] {"read", "write"}) {
      files.write(root.resolve(PREFIX + way + "_bps_device"), device + " " + bytesPerS);
      files.write(root.resolve(PREFIX + way + "_iops_device"), device + " " + requestsPerS);
    }
  }
}
