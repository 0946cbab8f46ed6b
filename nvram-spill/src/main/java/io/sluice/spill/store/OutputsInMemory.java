package io.sluice.spill.store;

import java.util.Iterator;
import java.util.NoSuchElementException;
import java.util.Optional;
import java.util.concurrent.locks.ReentrantLock;

/**
 * Goes through an application's {@link EvictionOrder}, with the lock of the store for one output at
 * a time. An output that comes meanwhile, or that a reader is told of, may be missed, or be met
 * later.
 *
 * <p>Thread contract: for one thread, which does not hold the lock.
 */
final class OutputsInMemory implements Iterator<CommittedOutput> {
  private final ReentrantLock lock;
  private final OutputDirectory outputs;
  private final String applicationId;
  private EvictionOrder.Turn last; // null: none yet
  private CommittedOutput ahead; // null: not looked for, or there is none

  OutputsInMemory(ReentrantLock lock, OutputDirectory outputs, String applicationId) {
    this.lock = lock;
    this.outputs = outputs;
    this.applicationId = applicationId;
  }

  @Override
  public boolean hasNext() {
    if (ahead == null) {
      ahead = look().orElse(null);
    }
    return ahead != null;
  }

  @Override
  public CommittedOutput next() {
    if (!hasNext()) {
      throw new NoSuchElementException("no further output of " + applicationId + " is in memory");
    }
    CommittedOutput next = ahead;
    ahead = null;
    return next;
  }

  private Optional<CommittedOutput> look() {
    lock.lock();
    try {
      YieldingLock turn = new YieldingLock(lock);
      while (true) {
        Optional<EvictionOrder> order = outputs.moveOrder(applicationId);
        Optional<EvictionOrder.Turn> found = order.flatMap(it -> it.after(last));
        if (found.isEmpty()) {
          return Optional.empty();
        }
        if (!order.get().isFormer(found.get())) {
          last = found.get();
          return Optional.of(last.output());
        }
        turn.pass(); // all of them may have been told of since the last move
      }
    } finally {
      lock.unlock();
    }
  }
}
