package io.sluice.rdma.transport.support;

import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Lock;
import java.util.function.BooleanSupplier;

/**
 * Waits with a deadline that an interrupt does not end early. They protect memory: an interrupted
 * caller that went on would free memory that is still being written. The interrupt flag is
 * restored. Thread contract: stateless.
 */
public final class Uninterruptibly {
  private Uninterruptibly() {}

  /** Waits for the latch; false if {@code limitMs} passed before. */
  public static boolean await(CountDownLatch latch, long limitMs) {
    return finish(latch::await, limitMs);
  }

  /** Takes the lock; false if {@code limitMs} passed before. */
  public static boolean tryLock(Lock lock, long limitMs) {
    return finish(lock::tryLock, limitMs);
  }

  /**
   * Waits until the condition holds; its changes notify the monitor, which the caller holds.
   * Returns false if {@code limitMs} passed before.
   */
  public static boolean await(Object monitor, BooleanSupplier condition, long limitMs) {
    return finish(
        (limit, unit) -> {
          long deadlineNanos = System.nanoTime() + unit.toNanos(limit);
          while (!condition.getAsBoolean()) {
            long leftNanos = deadlineNanos - System.nanoTime();
            if (leftNanos <= 0) {
              return false;
            }
            TimeUnit.NANOSECONDS.timedWait(monitor, leftNanos);
          }
          return true;
        },
        limitMs);
  }

  private interface Wait {
    boolean within(long limit, TimeUnit unit) throws InterruptedException;
  }

  private static boolean finish(Wait wait, long limitMs) {
    long deadlineNanos = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(limitMs);
    boolean interrupted = false;
    try {
      while (true) {
        try {
          return wait.within(deadlineNanos - System.nanoTime(), TimeUnit.NANOSECONDS);
        } catch (InterruptedException e) {
          interrupted = true;
        }
      }
    } finally {
      if (interrupted) {
        Thread.currentThread().interrupt();
      }
    }
  }
}
