package io.sluice.rdma.transport;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.fail;

import io.sluice.rdma.memory.OffHeap;
import java.io.File;
import java.util.List;
import java.util.concurrent.TimeUnit;

/** Threads, direct memory and mappings before and after a test. */
public final class LeakCheck {
  private static final long LIMIT_SECONDS = 10;

  private final long allocatedBytes = OffHeap.allocatedBytes();
  private final long mappedBytes = OffHeap.mappedBytes();
  private final List<Thread> threads = transportThreads();

  /** Fails unless everything since the construction of this object was given back. */
  public void check() throws InterruptedException {
    for (Thread thread : transportThreads()) {
      if (!threads.contains(thread)) {
        thread.join(TimeUnit.SECONDS.toMillis(LIMIT_SECONDS));
        if (thread.isAlive()) {
          fail("thread outlives its endpoint: " + thread.getName());
        }
      }
    }
    assertEquals(allocatedBytes, OffHeap.allocatedBytes(), "direct bytes not freed");
    assertEquals(mappedBytes, OffHeap.mappedBytes(), "mapped bytes not unmapped");
  }

  /** Live threads of the transports. */
  public static List<Thread> transportThreads() {
    return Thread.getAllStackTraces().keySet().stream()
        .filter(thread -> thread.getName().startsWith("sluice-"))
        .toList();
  }

  /** Open file descriptors of this process. */
  public static int openFiles() {
    String[] open = new File("/proc/self/fd").list();
    return open == null ? 0 : open.length;
  }
}
