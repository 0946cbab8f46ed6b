package io.sluice.spill.memory;

import io.sluice.spill.store.Lease;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.Lock;
import java.util.function.BooleanSupplier;

/**
 * Threads that wait under one lock, each for an event of its lease; an event wakes only the threads
 * of that lease. One of the waiting threads keeps the time for all.
 *
 * <p>Thread contract: every call under the lock. Failure: an interrupt ends no wait, and stays.
 */
final class LeaseWaits {
  private static final long TICK_MS = 50;

  private final Lock lock;
  private final Runnable tick;
  private final Map<Lease, Waiting> waiting = new HashMap<>();
  private boolean timeIsKept;

  /** The threads that wait for one lease. */
  private static final class Waiting {
    private final Condition changed;
    private int threads;

    private Waiting(Condition changed) {
      this.changed = changed;
    }
  }

  /**
   * None yet.
   *
   * @param tick is run under the lock again and again while any thread waits
   */
  LeaseWaits(Lock lock, Runnable tick) {
    this.lock = lock;
    this.tick = tick;
  }

  /** Returns when the check no longer holds; it is made again after each {@link #wake}. */
  void awaitWhile(Lease lease, BooleanSupplier check) {
    if (!check.getAsBoolean()) {
      return;
    }
    boolean interrupted = false;
    Waiting own = waiting.computeIfAbsent(lease, key -> new Waiting(lock.newCondition()));
    own.threads++;
    try {
      do {
        interrupted |= pause(own);
      } while (check.getAsBoolean());
    } finally {
      own.threads--;
      if (own.threads == 0) {
        waiting.remove(lease);
      }
      letAnotherKeepTime();
      if (interrupted) {
        Thread.currentThread().interrupt();
      }
    }
  }

  /** Waits until it is woken, or a tick has passed; returns whether it was interrupted. */
  private boolean pause(Waiting own) {
    boolean keepsTime = !timeIsKept;
    timeIsKept = true;
    try {
      if (!keepsTime) {
        own.changed.await();
      } else if (!own.changed.await(TICK_MS, TimeUnit.MILLISECONDS)) {
        tick.run();
      }
      return false;
    } catch (InterruptedException e) {
      return true;
    } finally {
      if (keepsTime) {
        timeIsKept = false;
      }
    }
  }

  private void letAnotherKeepTime() {
    if (!timeIsKept && !waiting.isEmpty()) {
      waiting.values().iterator().next().changed.signal();
    }
  }

  /** An event of a lease. */
  void wake(Lease lease) {
    Waiting threads = waiting.get(lease);
    if (threads != null) {
      threads.changed.signalAll();
    }
  }

  /** An event of all leases. */
  void wakeAll() {
    waiting.values().forEach(threads -> threads.changed.signalAll());
  }
}
