package io.sluice.spill.disk;

import io.sluice.rdma.memory.Closer;
import io.sluice.rdma.memory.DirectMemory;
import java.io.Closeable;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * The block devices of a process: directories that lie on one share its queue.
 *
 * <p>Thread contract: safe from any thread. Its maker closes it, after the last read and write.
 */
public final class Devices implements Closeable {
  private final long timeoutMs;
  private final Map<Long, Device> devices = new HashMap<>();
  private boolean closed;

  /** Has no devices yet. */
  public Devices(long timeoutMs) {
    this.timeoutMs = timeoutMs;
  }

  /**
   * The device of a directory, by the file system.
   *
   * @throws IOException also once this is closed: a file may be made late, on a disk that hung
   */
  public Device of(Path directory) throws IOException {
    long device = (Long) Files.getAttribute(directory, "unix:dev"); // btrfs has one per subvolume
    synchronized (devices) {
      if (closed) {
        throw new IOException("the device of " + directory + " is closed");
      }
      Device known = devices.get(device);
      if (known == null) {
        known = open(directory);
        devices.put(device, known);
      }
      return known;
    }
  }

  private Device open(Path directory) throws IOException {
    try {
      return new Device(directory.toString(), timeoutMs);
    } catch (OutOfMemoryError full) {
      try {
        return Device.withLeastMemory(directory.toString(), timeoutMs);
      } catch (OutOfMemoryError e) {
        throw new IOException(
            String.format(
                "no direct memory to read and write %s through: it takes %s bytes at least,"
                    + " and the process uses %s of %s; raise -XX:MaxDirectMemorySize or -Xmx",
                directory,
                Device.LEAST_MEMORY_BYTES,
                DirectMemory.usedBytes(),
                DirectMemory.limitBytes()),
            e);
      }
    }
  }

  /** The counts of each device that was used. */
  public List<DeviceStats> stats() {
    synchronized (devices) {
      return devices.values().stream().map(Device::stats).toList();
    }
  }

  @Override
  public void close() throws IOException {
    synchronized (devices) {
      closed = true;
      List<Device> all = List.copyOf(devices.values());
      devices.clear();
      Closer.all(all);
    }
  }
}
