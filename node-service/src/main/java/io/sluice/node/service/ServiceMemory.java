package io.sluice.node.service;

import com.sun.management.OperatingSystemMXBean;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.file.FileStore;
import java.nio.file.Files;
import java.nio.file.Path;

/**
 * The most memory of its machine that a service takes, beside the heap and the threads of its
 * process. An administrator takes that off the memory that containers may have.
 *
 * <pre>
 *  total = tier    whole segments
 *        + bounce  slots of each transport that a NIC serves
 *        + disk    buffers of each directory of the disk tier, as if each were a device of its own
 * </pre>
 *
 * @param tierBytes of the memory tier
 * @param bounceBytes taken when a segment first needs them
 * @param diskBytes taken when a device is first used
 */
public record ServiceMemory(long tierBytes, long bounceBytes, long diskBytes) {
  private static final long MIB = 1 << 20;

  /** All of it. */
  public long totalBytes() {
    return tierBytes + bounceBytes + diskBytes;
  }

  /**
   * Leaves the tier what a total has beside the rest.
   *
   * @param setting name of the setting of the total, for messages
   * @throws IOException if that is not even one segment
   */
  static ServiceMemory within(
      String setting, long totalBytes, long bounceBytes, long diskBytes, int segmentBytes)
      throws IOException {
    long leftBytes = totalBytes - bounceBytes - diskBytes;
    if (leftBytes < segmentBytes) {
      throw new IOException(
          "%s is %s MiB: with %s MiB for bounce buffers and %s MiB for disks that leaves no segment of"
                  .formatted(setting, mib(totalBytes), mib(bounceBytes), mib(diskBytes))
              + " %s MiB for the memory tier; raise it".formatted(mib(segmentBytes)));
    }
    return new ServiceMemory(leftBytes / segmentBytes * segmentBytes, bounceBytes, diskBytes);
  }

  /**
   * Compares it with the memory of the machine, in use or not.
   *
   * @param setting name of the setting of the total, for messages
   * @param fits memory of the machine
   * @throws IOException if it can never fit
   */
  void check(String setting, MachineMemory fits) throws IOException {
    if (totalBytes() > fits.totalBytes()) {
      throw new IOException(
          "%s is more than this machine has, or this process may use of it: %s MiB for shuffling of %s"
              .formatted(setting, mib(totalBytes()), mib(fits.totalBytes())));
    }
    if (tierBytes > fits.tmpfsBytes()) {
      throw new IOException(
          "%s leaves a memory tier of %s MiB, and the file system of its directory may hold %s MiB: lower it,"
                  .formatted(setting, mib(tierBytes), mib(fits.tmpfsBytes()))
              + " or mount that with a larger size");
    }
  }

  private static long mib(long bytes) {
    return (bytes + MIB - 1) / MIB;
  }

  /**
   * The memory of a machine, used or not.
   *
   * @param totalBytes all of it, or what the container of this process has
   * @param tmpfsBytes most that the file system of a pool may hold, if that is memory; {@code
   *     MAX_VALUE} if it is something else, or has no bound
   */
  public record MachineMemory(long totalBytes, long tmpfsBytes) {
    private static final String TMPFS = "tmpfs";

    /** Of this one, for a pool that lies there, or will. */
    public static MachineMemory of(Path pool) throws IOException {
      OperatingSystemMXBean system =
          ManagementFactory.getPlatformMXBean(OperatingSystemMXBean.class);
      Path there = pool.toAbsolutePath();
      while (!Files.exists(there)) {
        there = there.getParent();
      }
      FileStore store = Files.getFileStore(there);
      boolean bounded = store.type().equals(TMPFS) && store.getTotalSpace() > 0;
      return new MachineMemory(
          system.getTotalMemorySize(), bounded ? store.getTotalSpace() : Long.MAX_VALUE);
    }
  }
}
