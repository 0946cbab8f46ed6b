package io.sluice.it.limit;

/**
 * What a block device has done since it is there, or between two moments.
 *
 * @param reads requests
 * @param readBytes their bytes
 * @param writes requests
 * @param writtenBytes their bytes
 * @param busyMs time in which there was a request
 * @param queuedMs times of all requests, added up
 */
public record DeviceUse(
    long reads, long readBytes, long writes, long writtenBytes, long busyMs, long queuedMs) {

  /** What came since then. */
  public DeviceUse minus(DeviceUse earlier) {
    return new DeviceUse(
        reads - earlier.reads,
        readBytes - earlier.readBytes,
        writes - earlier.writes,
        writtenBytes - earlier.writtenBytes,
        busyMs - earlier.busyMs,
        queuedMs - earlier.queuedMs);
  }

  public long bytes() {
    return readBytes + writtenBytes;
  }
}
