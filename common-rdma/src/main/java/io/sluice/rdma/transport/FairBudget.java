package io.sluice.rdma.transport;

import java.util.ArrayDeque;
import java.util.Deque;
import java.util.HashMap;
import java.util.Iterator;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;

/**
 * A bounded amount, for example of bytes, that sharers divide fairly. A sharer may take more while
 * it holds less than {@value #OF_FREE} times the free amount. So a single sharer can hold three
 * quarters, and the next one still finds some.
 *
 * <p>Unlike {@link FairShare} it has different amounts, and a request waits. Requests are served in
 * order, except that none waits behind a sharer that has its share already. Each granted request is
 * woken alone.
 *
 * <p>Thread contract: safe from any thread. A holder must not wait for more, or all could wait for
 * each other. Failure: {@link IllegalStateException} if a waiting thread is interrupted, which does
 * not happen to threads of connections.
 */
public final class FairBudget {
  private static final long OF_FREE = 3;

  private final long most;
  private final boolean shared;
  private final ReentrantLock lock = new ReentrantLock();
  private final Map<Object, Long> held = new HashMap<>();
  private final Deque<Waiter> waiting = new ArrayDeque<>(); // in order of arrival
  private long taken;

  private final class Waiter {
    private final Object sharer;
    private final long amount;
    private final Condition woken = lock.newCondition();
    private boolean granted;

    private Waiter(Object sharer, long amount) {
      this.sharer = sharer;
      this.amount = amount;
    }
  }

  /**
   * Creates a budget that is free as a whole.
   *
   * @param shared whether sharers leave some for each other; if not, each may take all that is free
   */
  public FairBudget(long most, boolean shared) {
    this.most = most;
    this.shared = shared;
  }

  /**
   * Takes an amount for a sharer; {@link #giveBack} returns it.
   *
   * @return false if it was not free within {@code waitMs}
   */
  public boolean take(Object sharer, long amount, long waitMs) {
    lock.lock();
    Waiter waiter = new Waiter(sharer, amount);
    try {
      waiting.add(waiter);
      grant();
      long leftNs = TimeUnit.MILLISECONDS.toNanos(waitMs);
      while (!waiter.granted && leftNs > 0) {
        leftNs = waiter.woken.awaitNanos(leftNs);
      }
      return waiter.granted;
    } catch (InterruptedException e) {
      throw new IllegalStateException(
          "interrupted while waiting for a share; threads of connections are never interrupted", e);
    } finally {
      if (!waiter.granted) {
        waiting.remove(waiter);
        grant(); // later requests may go ahead now
      }
      lock.unlock();
    }
  }

  /** Returns an amount that a sharer holds. */
  public void giveBack(Object sharer, long amount) {
    lock.lock();
    try {
      taken -= amount;
      held.computeIfPresent(sharer, (who, had) -> had == amount ? null : had - amount);
      grant();
    } finally {
      lock.unlock();
    }
  }

  private void grant() {
    for (Iterator<Waiter> each = waiting.iterator(); each.hasNext(); ) {
      Waiter first = each.next();
      long free = most - taken;
      if (shared && held.getOrDefault(first.sharer, 0L) >= OF_FREE * free) {
        continue; // its sharer has its share; this request waits for that sharer alone
      }
      if (first.amount > free) {
        return; // later, smaller requests must not overtake it
      }
      held.merge(
          first.sharer, first.amount, Long::sum); // first, because it may fail for want of memory
      taken += first.amount;
      first.granted = true;
      each.remove();
      first.woken.signal();
    }
  }

  /** The whole amount. */
  public long most() {
    return most;
  }

  /** The number of requests that wait now. */
  int waiting() {
    lock.lock();
    try {
      return waiting.size();
    } finally {
      lock.unlock();
    }
  }

  /** The amount of each sharer that holds any. */
  public Map<Object, Long> held() {
    lock.lock();
    try {
      return Map.copyOf(held);
    } finally {
      lock.unlock();
    }
  }
}
