package io.sluice.spill.store;

import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Supplier;

/**
 * What is shown, to those who only watch, of something that a lock guards: as it is now, or as it
 * was when somebody last looked, where the lock cannot be had soon. Under the lock of a store a
 * disk may be waited for, and a disk that hangs is what a watcher wants to see.
 *
 * <p>Thread contract: safe from any thread; an interrupt is kept.
 */
final class CachedStats<T> {
  private static final long PATIENCE_MS = 1_000;

  private final ReentrantLock lock;
  private final Supplier<T> look;
  private volatile T last;

  /** Begins with what somebody sees who looks now. */
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
