package io.sluice.it.limit;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/**
 * Reads a block device's own counters, {@code /sys/block/NAME/stat}, whose fields are
 *
 * <pre>
 *   0 reads   1 merged   2 sectors   3 ms  |  4 writes  5 merged   6 sectors   7 ms  |  8 in flight  9 busy ms  10 queued ms
 * </pre>
 *
 * <p>Stateless. Pages that are dirty when their file is deleted were never written and do not
 * count.
 *
 * @param statistics the file
 */
public record BlockDeviceCounters(Path statistics) {
  private static final int SECTOR_BYTES = 512; // whatever the device's own are

  public DeviceUse read() {
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
}
