package io.sluice.it.limit;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/**
 * The use of a block device since it is there, or between two moments, read from the device's own
 * counters, {@code /sys/block/NAME/stat}, whose fields are
 *
 * <pre>
 *   0 reads   1 merged   2 sectors   3 ms  |  4 writes  5 merged   6 sectors   7 ms  |  8 in flight  9 busy ms  10 queued ms
 * </pre>
 *
 * <p>Pages that are dirty when their file is deleted were never written and do not count.
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
  private static final int SECTOR_BYTES = 512; // whatever the device's own are

  /** Reads a device's file of counters. */
  public static DeviceUse read(Path statistics) {
    try {
      return parse(Files.readString(statistics));
    } catch (IOException e) {
      throw new LimitException("cannot read " + statistics, e);
    }
  }

  static DeviceUse parse(String line) {
    String[] fields = line.strip().split(" +");
    return new DeviceUse(
        Long.parseLong(fields[0]),
        Long.parseLong(fields[2]) * SECTOR_BYTES,
        Long.parseLong(fields[4]),
        Long.parseLong(fields[6]) * SECTOR_BYTES,
        Long.parseLong(fields[9]),
        Long.parseLong(fields[10]));
  }

  /** The use since then. */
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
