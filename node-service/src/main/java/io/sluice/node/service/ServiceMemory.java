package io.sluice.node.service;

import java.io.IOException;

/**
 * What a service takes of its machine's memory at most, beside the heap and the threads of its
 * process: what an administrator takes off what containers may have.
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
}
