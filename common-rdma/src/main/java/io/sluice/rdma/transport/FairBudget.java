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
 * A bounded amount, of bytes for instance, for those who share it: each may take more while it has
 * less than {@value #OF_FREE} times what is free. So one who is alone may have three quarters, and
 * whoever comes next finds some.
 *
 * <p>Differs from {@link FairShare} in that amounts differ, and that one who comes waits: in the
 * order of coming, but nobody waits for one who has its share already. Each that is granted
 * something is woken alone.
 *
 * <p>Thread contract: safe from any thread. Who holds some must not wait for more, or all could
 * wait for each other. Failure: {@link IllegalStateException} for a thread that is interrupted
 * while it waits, which those of connections are not.
 */
public final class FairBudget {
  private static final long OF_FREE = 3;

  private final long most;
  private final boolean shared;
  private final ReentrantLock lock = new ReentrantLock();
  private final Map<Object, Long> held = new HashMap<>();
  private final Deque<Waiter> waiting = new ArrayDeque<>(); // in the order of coming
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
   * With all of that free.
   *
   * @param shared whether sharers keep some free for each other; if not, each may have what is free
   */
  public FairBudget(long most, boolean shared) {
    this.most = most;
    this.shared = shared;
  }

  /**
   * Takes so much for a sharer, which {@link #giveBack} gives back.
   *
   * @return false if that was not possible within {@code waitMs}
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
      throw new IllegalStateException("nobody interrupts the thread of a connection", e);
    } finally {
      if (!waiter.granted) {
        waiting.remove(waiter);
        grant(); // those behind it
      }
      lock.unlock();
    }
  }

  /** Gives some of what a sharer holds back. */
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
        continue; // it has its share, and waits for its own
      }
      if (first.amount > free) {
        return; // else smaller ones that come later would keep it waiting
      }
      held.merge(first.sharer, first.amount, Long::sum); // first: it takes memory
      taken += first.amount;
      first.granted = true;
      each.remove();
      first.woken.signal();
    }
  }

  /** The most that there is. */
  public long most() {
    return most;
  }

  /** How many wait now. */
  int waiting() {
    lock.lock();
    try {
      return waiting.size();
    } finally {
      lock.unlock();
    }
  }

  /** What each holds that holds some. */
  public Map<Object, Long> held() {
    lock.lock();
    try {
      return Map.copyOf(held);
    } finally {
      lock.unlock();
    }
  }
}
