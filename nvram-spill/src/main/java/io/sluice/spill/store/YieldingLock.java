package io.sluice.spill.store;

import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.ReentrantLock;

/**
 * For long work under a lock that others want meanwhile: lets them in now and then. The lock is not
 * fair, so a thread that unlocks it and locks it again at once lets in nobody.
 *
 * <p>Thread contract: for one thread, which holds the lock once.
 */
final class YieldingLock {
  private static final long HOLD_NS = TimeUnit.MILLISECONDS.toNanos(10);
  private static final long MEANWHILE_NS = TimeUnit.MILLISECONDS.toNanos(1);

  private final ReentrantLock lock;
  private long sinceNs = System.nanoTime();

  /** The lock is held from now on. */
  YieldingLock(ReentrantLock lock) {
    this.lock = lock;
  }

  /** Lets waiting threads in, if the lock was held for long. They may change what it guards. */
  void pass() {
    pass(() -> {});
  }

  /**
   * The same.
   *
   * @param first is done under the lock before others are let in
   */
  void pass(Runnable first) {
    if (System.nanoTime() - sinceNs < HOLD_NS || !lock.hasQueuedThreads()) {
      return;
    }
    first.run();
    lock.unlock();
    try {
      long unlockedNs = System.nanoTime();
      while (lock.hasQueuedThreads() && System.nanoTime() - unlockedNs < MEANWHILE_NS) {
        Thread.yield();
      }
    } finally {
      lock.lock();
    }
    sinceNs = System.nanoTime();
  }
}
