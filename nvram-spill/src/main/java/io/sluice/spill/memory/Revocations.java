package io.sluice.spill.memory;

import io.sluice.spill.ledger.MemoryKind;
import io.sluice.spill.ledger.MemoryLedger;
import io.sluice.spill.store.Lease;
import java.io.Closeable;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.Lock;

/**
 * Passes the ledger's revocations on to threads that wait for them, each for one lease.
 *
 * <p>Thread contract: the methods are called under the lock of {@link MemoryManager}; those of a
 * {@link Subscription} take it. Ownership: its manager's. Failure: a wait that is interrupted ends.
 */
public final class Revocations {
  private final Lock lock;
  private final MemoryLedger ledger;
  private final Map<Lease, Long> holders; // of open leases that have asked; the manager's
  private final Map<Lease, List<Subscription>> subscriptions = new HashMap<>(); // where any
  private final Map<Long, Long> epochs = new HashMap<>(); // of the last notice, by holder
  private boolean closed;

  Revocations(Lock lock, MemoryLedger ledger, Map<Lease, Long> holders) {
    this.lock = lock;
    this.ledger = ledger;
    this.holders = holders;
  }

  /** One thread that waits for notices to the borrower of a lease; its opener closes it. */
  public final class Subscription implements Closeable {
    private final Lease lease;
    private final Condition noticed = lock.newCondition();
    private boolean ended;

    private Subscription(Lease lease) {
      this.lease = lease;
    }

    /**
     * Waits at most {@code timeoutMs} for a notice after that of {@code seenEpoch}.
     *
     * @return the last notice; empty if the lease or the manager is closed
     */
    public Optional<RevocationNotice> await(long seenEpoch, long timeoutMs)
        throws InterruptedException {
      lock.lock();
      try {
        long leftNs = TimeUnit.MILLISECONDS.toNanos(timeoutMs);
        while (isOpen() && epoch() <= seenEpoch && leftNs > 0) {
          leftNs = noticed.awaitNanos(leftNs);
        }
        return isOpen() ? Optional.of(notice()) : Optional.empty();
      } finally {
        lock.unlock();
      }
    }

    private boolean isOpen() {
      return !closed && holders.containsKey(lease);
    }

    private long epoch() {
      return epochs.getOrDefault(holders.get(lease), 0L);
    }

    private RevocationNotice notice() {
      long id = holders.get(lease);
      return new RevocationNotice(
          epoch(), ledger.keepBytes(id, MemoryKind.SORT), ledger.keepBytes(id, MemoryKind.RECEIVE));
    }

    @Override
    public void close() {
      lock.lock();
      try {
        if (!ended) {
          ended = true;
          List<Subscription> left = subscriptions.get(lease);
          left.remove(this);
          if (left.isEmpty()) {
            subscriptions.remove(lease);
          }
          tellLedger(lease);
        }
      } finally {
        lock.unlock();
      }
    }
  }

  Subscription subscribe(Lease lease) {
    Subscription added = new Subscription(lease);
    subscriptions.computeIfAbsent(lease, key -> new ArrayList<>()).add(added);
    tellLedger(lease);
    return added;
  }

  private void tellLedger(Lease lease) {
    Long id = holders.get(lease);
    if (id != null) {
      ledger.receivesNotices(id, subscriptions.containsKey(lease));
    }
  }

  /** Tells the borrower of a lease to give back. */
  void revoke(Lease lease, long holderId, long epoch) {
    epochs.put(holderId, epoch);
    wake(lease);
  }

  /** A lease was closed. */
  void ended(Lease lease, Long holderId) {
    epochs.remove(holderId);
    wake(lease);
  }

  private void wake(Lease lease) {
    subscriptions.getOrDefault(lease, List.of()).forEach(each -> each.noticed.signalAll());
  }

  /** Ends all waits. */
  void close() {
    closed = true;
    subscriptions.keySet().forEach(this::wake);
  }

  /**
   * Most memory that one borrower may keep now: {@link Long#MAX_VALUE} of a kind without an open
   * notice.
   *
   * @param epoch rises with each notice
   * @param sortBytes of its sort buffer, without its own part
   * @param receiveBytes of memory that it receives into
   */
  public record RevocationNotice(long epoch, long sortBytes, long receiveBytes) {
    /** Before the first notice. */
    public static final RevocationNotice NONE =
        new RevocationNotice(0, Long.MAX_VALUE, Long.MAX_VALUE);
  }
}
