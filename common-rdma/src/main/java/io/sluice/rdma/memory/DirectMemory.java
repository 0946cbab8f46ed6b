package io.sluice.rdma.memory;

import com.sun.management.HotSpotDiagnosticMXBean;
import java.lang.management.BufferPoolMXBean;
import java.lang.management.ManagementFactory;

/**
 * How much direct memory the JVM allows ({@code -XX:MaxDirectMemorySize}, by default as much as
 * {@code -Xmx}), and how much of it is in use, by Sluice and by everybody else in the process.
 *
 * <p>It differs from the count of what Sluice itself has allocated: that says what leaks.
 *
 * <p>Thread contract: safe from any thread. Failure: none; a JVM that does not tell its limit is
 * taken to allow as much as its heap, which is every JVM's default.
 */
public final class DirectMemory {
  private static final long LEAST_HEAD_ROOM_BYTES = 24 << 20;
  private static final long LIMIT_BYTES = findLimit();
  private static final BufferPoolMXBean POOL = findPool();

  private DirectMemory() {}

  /** What {@code ByteBuffer.allocateDirect} gives at most, over all callers. */
  public static long limitBytes() {
    return LIMIT_BYTES;
  }

  /**
   * What is not given to those who can do with less: disk buffers, codecs, network and file I/O
   * need it. An eighth, at least 24 MiB, but no more than half.
   */
  public static long headRoomBytes() {
    return Math.max(LIMIT_BYTES / 8, Math.min(LIMIT_BYTES / 2, LEAST_HEAD_ROOM_BYTES));
  }

  /** What it has given, and what has not been freed since. */
  public static long usedBytes() {
    return POOL.getTotalCapacity();
  }

  private static long findLimit() {
    long configuredBytes = 0;
    try {
      HotSpotDiagnosticMXBean options =
          ManagementFactory.getPlatformMXBean(HotSpotDiagnosticMXBean.class);
      if (options != null) {
        configuredBytes = Long.parseLong(options.getVMOption("MaxDirectMemorySize").getValue());
      }
    } catch (IllegalArgumentException e) {
      configuredBytes = 0; // another JVM than HotSpot
    }
    return configuredBytes > 0 ? configuredBytes : Runtime.getRuntime().maxMemory();
  }

  private static BufferPoolMXBean findPool() {
    return ManagementFactory.getPlatformMXBeans(BufferPoolMXBean.class).stream()
        .filter(pool -> pool.getName().equals("direct"))
        .findFirst()
        .orElseThrow(); // every platform has it
  }
}
