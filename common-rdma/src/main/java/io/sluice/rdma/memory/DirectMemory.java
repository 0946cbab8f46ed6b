package io.sluice.rdma.memory;

import com.sun.management.HotSpotDiagnosticMXBean;
import java.lang.management.BufferPoolMXBean;
import java.lang.management.ManagementFactory;

/**
 * The limit on direct memory of this JVM ({@code -XX:MaxDirectMemorySize}, by default equal to
 * {@code -Xmx}), and how much of it the whole process uses.
 *
 * <p>{@link OffHeap#allocatedBytes} differs: it counts Sluice's own memory, to find leaks.
 *
 * <p>Thread contract: safe from any thread. Failure: none; if a JVM does not report its limit, the
 * size of its heap is assumed, the default of every JVM.
 */
public final class DirectMemory {
  private static final long LEAST_HEAD_ROOM_BYTES = 24 << 20;
  private static final long LIMIT_BYTES = findLimit();
  private static final BufferPoolMXBean POOL = findPool();

  private DirectMemory() {}

  /** The most that {@code ByteBuffer.allocateDirect} gives to all callers together. */
  public static long limitBytes() {
    return LIMIT_BYTES;
  }

  /**
   * The part of the limit that optional buffers must leave free for disk buffers, codecs, and
   * network and file I/O: an eighth, at least 24 MiB, but at most half.
   */
  public static long headRoomBytes() {
    return Math.max(LIMIT_BYTES / 8, Math.min(LIMIT_BYTES / 2, LEAST_HEAD_ROOM_BYTES));
  }

  /** The direct memory that is allocated now. */
  public static long usedBytes() {
    return POOL.getTotalCapacity();
  }

  private static long findLimit() {
    long configuredBytes = hotSpotOption("MaxDirectMemorySize");
    return configuredBytes > 0 ? configuredBytes : Runtime.getRuntime().maxMemory();
  }

  /** The value of an option of this JVM that is a number; 0 if the JVM is not HotSpot. */
  public static long hotSpotOption(String name) {
    try {
      HotSpotDiagnosticMXBean options =
          ManagementFactory.getPlatformMXBean(HotSpotDiagnosticMXBean.class);
      return options == null ? 0 : Long.parseLong(options.getVMOption(name).getValue());
    } catch (IllegalArgumentException e) {
      return 0; // the JVM has no such option
    }
  }

  private static BufferPoolMXBean findPool() {
    return ManagementFactory.getPlatformMXBeans(BufferPoolMXBean.class).stream()
        .filter(pool -> pool.getName().equals("direct"))
        .findFirst()
        .orElseThrow(); // every JVM has it
  }
}
