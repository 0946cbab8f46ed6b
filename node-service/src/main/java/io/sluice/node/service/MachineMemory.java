package io.sluice.node.service;

import com.sun.management.OperatingSystemMXBean;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.file.FileStore;
import java.nio.file.Files;
import java.nio.file.Path;

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
    OperatingSystemMXBean system = ManagementFactory.getPlatformMXBean(OperatingSystemMXBean.class);
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
