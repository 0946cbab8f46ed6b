package io.sluice.spill.store;

import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Supplier;

/**
 * A value for monitors of something that a lock guards: as it is now, or, if the lock cannot be had
 * soon, as it was at the last look. A thread may wait for a disk under the lock of a store, and
 * monitors must show a disk that hangs.
 *
 * <p>Thread contract: safe from any thread; an interrupt is kept.
 */
final class CachedStats<T> {
  private static final long PATIENCE_MS = 1_000;

  private final ReentrantLock lock;
  private final Supplier<T> look;
  private volatile T last;

  /** Looks for the first time. */
  CachedStats(ReentrantLock lock, Supplier<T> look) {
    this.lock = lock;
    this.look = look;
    this.last = look.get();
  }

  T now() {
    boolean locked = false;
    try {
      locked = lock.tryLock() || lock.tryLock(PATIENCE_MS, TimeUnit.MILLISECONDS);
      if (locked) {
        last = look.get();
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    } finally {
      if (locked) {
        lock.unlock();
      }
    }
    return last;
  }
}
