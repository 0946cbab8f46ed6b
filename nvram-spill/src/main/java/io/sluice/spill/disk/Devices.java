package io.sluice.spill.disk;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;

/**
 * The queues of a process, one for each block device: directories of one device share one.
 *
 * <p>Thread contract: safe from any thread. Who makes it closes it, when no request is submitted
 * any more.
 */
public final class Devices implements AutoCloseable {
  private final long timeoutMs;
  private final Map<Long, DeviceQueue> queues = new HashMap<>();

  /** Of none yet. */
  public Devices(long timeoutMs) {
    this.timeoutMs = timeoutMs;
  }

  /** That of the device on which a file or directory lies. */
  public DeviceQueue of(Path path) throws IOException {
    long device = (Long) Files.getAttribute(path, "unix:dev"); // btrfs has one per subvolume
    synchronized (queues) {
      return queues.computeIfAbsent(
          device, number -> new DeviceQueue("the device of " + path, timeoutMs));
    }
  }

  @Override
  public void close() {
    synchronized (queues) {
      queues.values().forEach(DeviceQueue::close);
      queues.clear();
    }
  }
}
