package io.sluice.node.client;

import java.io.IOException;
import java.io.InterruptedIOException;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

/**
 * How one reader waits for a node that takes no further connection, or for what its own process is
 * short of: longer each time, by chance so that not all come back together, and not for ever.
 *
 * <p>Thread contract: one thread at a time, that of the reader.
 */
final class BusyBackoff {
  private static final long FIRST_PAUSE_MS = 50;
  private static final long LONGEST_PAUSE_MS = 5_000;

  private final String name;
  private final long patienceMs;
  private long sinceNs;
  private long pauseMs; // 0 while the node does not refuse

  /**
   * Nothing was refused yet.
   *
   * @param name of the run, for messages
   */
  BusyBackoff(String name, long patienceMs) {
    this.name = name;
    this.patienceMs = patienceMs;
  }

  /**
   * Waits until it is worth asking again.
   *
   * @throws NodeBusyException if the node has refused for longer than this reader waits
   */
  void comeLater(NodeBusyException refusal) throws IOException {
    if (!waits()) {
      throw new NodeBusyException(
          name + ": refused for over " + patienceMs + " ms: " + refusal.getMessage(), refusal);
    }
  }

  /** Waits until it is worth asking again; false at once if it has waited for long enough. */
  boolean waits() throws InterruptedIOException {
    long nowNs = System.nanoTime();
    if (pauseMs == 0) {
      sinceNs = nowNs;
      pauseMs = FIRST_PAUSE_MS;
    }
    if (TimeUnit.NANOSECONDS.toMillis(nowNs - sinceNs) > patienceMs) {
      return false;
    }
    long millis = pauseMs / 2 + ThreadLocalRandom.current().nextLong(pauseMs);
    LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(millis));
    if (Thread.currentThread().isInterrupted()) {
      throw new InterruptedIOException(name + ": interrupted while waiting for a busy node");
    }
    pauseMs = Math.min(2 * pauseMs, LONGEST_PAUSE_MS);
    return true;
  }

  /** The node has answered. */
  void isOver() {
    pauseMs = 0;
  }
}
