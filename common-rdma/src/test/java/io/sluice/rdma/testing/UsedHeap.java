package io.sluice.rdma.testing;

import java.lang.management.ManagementFactory;

/** What this process keeps on its heap. */
public final class UsedHeap {
  private static final int COLLECTIONS = 4;

  private UsedHeap() {}

  /** The least that is used after several collections. */
  public static long bytes() {
    long least = Long.MAX_VALUE;
    for (int i = 0; i < COLLECTIONS; i++) {
      System.gc();
      least = Math.min(least, ManagementFactory.getMemoryMXBean().getHeapMemoryUsage().getUsed());
    }
    return least;
  }
}
