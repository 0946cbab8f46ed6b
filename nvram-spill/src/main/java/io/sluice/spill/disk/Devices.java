package io.sluice.spill.disk;

import io.sluice.rdma.memory.Closing;
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
 * <p>Thread contract: safe from any thread. Who makes it closes it, when nothing is read or written
 * any more.
 */
public final class Devices implements Closeable {
  private final long timeoutMs;
  private final Map<Long, Device> devices = new HashMap<>();

  /** Of none yet. */
  public Devices(long timeoutMs) {
    this.timeoutMs = timeoutMs;
  }

  /** The one on which a file or directory lies; asks the file system. */
  public Device of(Path path) throws IOException {
    long device = (Long) Files.getAttribute(path, "unix:dev"); // btrfs has one per subvolume
    synchronized (devices) {
      Device known = devices.get(device);
      if (known == null) {
        known = open(path);
        devices.put(device, known);
      }
      return known;
    }
  }

  private Device open(Path path) throws IOException {
    try {
      return new Device("the device of " + path, timeoutMs);
    } catch (OutOfMemoryError e) {
      throw new IOException("no memory to read and write " + path + " through", e);
    }
  }

  @Override
  public void close() throws IOException {
    synchronized (devices) {
      List<Device> all = List.copyOf(devices.values());
      devices.clear();
      Closing.all(all);
    }
  }
}
