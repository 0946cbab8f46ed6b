package io.sluice.spill.memory;

import io.sluice.rdma.metrics.WaitHistogram;
import io.sluice.rdma.metrics.WaitHistogram.WaitCounts;
import io.sluice.rdma.threads.DaemonThreads;
import io.sluice.spill.ledger.GrantTerms;
import io.sluice.spill.ledger.GrantTerms.WaitLimit;
import io.sluice.spill.ledger.Holding;
import io.sluice.spill.ledger.LedgerStats;
import io.sluice.spill.ledger.MemoryAction;
import io.sluice.spill.ledger.MemoryKind;
import io.sluice.spill.ledger.MemoryLedger;
import io.sluice.spill.store.Lease;
import io.sluice.spill.store.MemoryArbiter;
import io.sluice.spill.store.MemorySource.MemoryUse;
import io.sluice.spill.store.SpillStore;
import java.io.Closeable;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.BooleanSupplier;
import java.util.function.LongFunction;
import java.util.function.LongSupplier;

/**
 * Grants the memory tier of a store by its ledger: passes events and their times to the ledger, and
 * executes its actions. {@link Revocations} passes its notices to tasks, {@link OutputMover} makes
 * its moves. The ledger has no clock: one of the threads that wait for an answer tells it the time
 * for all.
 *
 * <p>Thread contract: safe from any thread. Its lock is the last one: only the ledger is called
 * under it. Ownership: its maker closes it before the store, so that no thread waits. Failure: an
 * interrupt does not end a request, which is short; the flag stays set.
 */
public final class MemoryManager implements MemoryArbiter, Closeable {
  /** Longest step of a request that need not be contiguous, so that a part can be granted. */
  private static final long MAX_STEP_BYTES = 8L << 20;

  /** Most steps of a request; longer ones replace more steps, since others wait for the lock. */
  private static final int MAX_STEPS = 64;

  private static final long MOVER_IDLE_MS = 10_000;

  /** A step is at most this part of the memory tier. */
  private static final int STEP_PART = 32;

  private final LongSupplier nanoTime;
  private final long beginNs;
  private final GrantTerms terms;
  private final ReentrantLock lock = new ReentrantLock();
  private final LeaseWaits leaseWaits = new LeaseWaits(lock, this::letTimePass);
  private final MemoryLedger ledger;
  private final Map<Lease, Long> holders = new HashMap<>();
  private final Map<Long, Lease> leases = new HashMap<>(); // the same, by holder
  private final Set<Lease> asking = new HashSet<>();
  private final Map<Long, Long> answers = new HashMap<>(); // by holder, until it takes them
  private final Set<String> announced = new HashSet<>(); // until they end
  private final WaitHistogram waits = new WaitHistogram();
  private final Revocations revocations;
  private final OutputMover mover;
  private boolean lendsToSort;
  private boolean closed;

  /** Manages a memory tier of this capacity. */
  public MemoryManager(GrantTerms terms, long capacityBytes) {
    this(terms, capacityBytes, System::nanoTime);
  }

  /** The same with another clock. */
  MemoryManager(GrantTerms terms, long capacityBytes, LongSupplier nanoTime) {
    this.nanoTime = nanoTime;
    this.beginNs = nanoTime.getAsLong();
    this.terms = terms;
    this.ledger = new MemoryLedger(terms, capacityBytes);
    this.revocations = new Revocations(lock, ledger, holders);
    this.mover = new OutputMover(lock, ledger, this::nowMs, this::execute);
  }

  /** Lends memory to sort buffers from now on. */
  public void lendToSort() {
    locked(() -> lendsToSort = true);
  }

  /** Moves outputs of this store, which has a disk tier, when memory is short. */
  public void moveOutputsOf(SpillStore store) {
    moveOutputsOf(store, DaemonThreads.executor("sluice-mover", MOVER_IDLE_MS));
  }

  /** The same on the given thread. */
  void moveOutputsOf(SpillStore store, ThreadPoolExecutor executor) {
    locked(() -> mover.start(store, executor));
  }

  /** Outputs have copies on disk by the time that they are moved: a move costs no write. */
  public void outputsHaveCopies() {
    locked(ledger::outputsHaveCopies);
  }

  private long nowMs() {
    return TimeUnit.NANOSECONDS.toMillis(nanoTime.getAsLong() - beginNs);
  }

  /** The holdings, the waits and the moves at this moment. */
  public MemorySnapshot snapshot() {
    lock.lock();
    try {
      return new MemorySnapshot(
          ledger.stats(),
          ledger.holdings(nowMs()),
          waits.counts(),
          mover.movedBytes(),
          mover.movedOutputs(),
          mover.failures());
    } finally {
      lock.unlock();
    }
  }

  /** A container of an application has started, the first or another one. */
  public void expected(String applicationId) {
    tell(nowMs -> announced.add(applicationId) ? ledger.expected(applicationId, nowMs) : List.of());
  }

  /** Names the borrower of a lease, before its first request; without a name it is a process. */
  public void introduce(Lease lease, Borrower borrower) {
    locked(() -> join(lease, borrower));
  }

  /** Subscribes a thread to the notices to the borrower of a lease. */
  public Revocations.Subscription subscribe(Lease lease) {
    lock.lock();
    try {
      return revocations.subscribe(lease);
    } finally {
      lock.unlock();
    }
  }

  @Override
  public boolean askNow(Lease lease, MemoryUse use, long bytes) {
    lock.lock();
    try {
      awaitWhile(lease, () -> asking.contains(lease)); // another thread's request, which ends soon
      mover.tryDiskAgain();
      boolean lends = use != MemoryUse.SORT || lendsToSort;
      if (closed || !lends || bytes > ledger.stats().capacityBytes()) {
        return false;
      }
      long id = holderOf(lease);
      execute(ledger.ask(id, kind(use), bytes, WaitLimit.NONE, nowMs()));
      long grantedBytes = answers.remove(id);
      if (grantedBytes < bytes) {
        gaveBack(lease, use, grantedBytes);
      }
      return grantedBytes == bytes;
    } finally {
      lock.unlock();
    }
  }

  private static MemoryKind kind(MemoryUse use) {
    return switch (use) {
      case WRITING -> MemoryKind.WRITING;
      case SORT -> MemoryKind.SORT;
      case RECEIVE -> MemoryKind.RECEIVE;
    };
  }

  @Override
  public long ask(Lease lease, long bytes, boolean contiguous, boolean last, long timeoutMs) {
    lock.lock();
    try {
      long untilMs =
          nowMs() + Math.min(timeoutMs, last ? terms.revokeMs() : terms.waitMs()); // for all steps
      WaitLimit limit = last ? WaitLimit.LAST : WaitLimit.COMING;
      awaitWhile(lease, () -> asking.contains(lease)); // one ask of each at a time
      asking.add(lease);
      try {
        mover.tryDiskAgain();
        return contiguous
            ? askWhole(lease, bytes, limit, untilMs)
            : askInSteps(lease, bytes, limit, untilMs);
      } finally {
        asking.remove(lease);
        leaseWaits.wake(lease);
      }
    } finally {
      lock.unlock();
    }
  }

  private long askWhole(Lease lease, long bytes, WaitLimit limit, long untilMs) {
    long grantedBytes = askStep(lease, bytes, limit, untilMs);
    if (grantedBytes == bytes) {
      return bytes;
    }
    gaveBack(lease, MemoryUse.WRITING, grantedBytes);
    return 0;
  }

  private long askInSteps(Lease lease, long bytes, WaitLimit limit, long untilMs) {
    long blockBytes = lease.info().blockBytes();
    long mostBytes =
        Math.min(
            Math.max(MAX_STEP_BYTES, bytes / MAX_STEPS),
            ledger.stats().capacityBytes() / STEP_PART);
    long wholeBytes = Math.max(1, mostBytes / blockBytes) * blockBytes;
    long grantedBytes = 0;
    while (grantedBytes < bytes) {
      long stepBytes = Math.min(wholeBytes, bytes - grantedBytes);
      long gotBytes = askStep(lease, stepBytes, limit, untilMs);
      grantedBytes += gotBytes;
      if (gotBytes < stepBytes) {
        break;
      }
    }
    return grantedBytes;
  }

  private long askStep(Lease lease, long bytes, WaitLimit limit, long untilMs) {
    if (closed || bytes > ledger.stats().capacityBytes()) {
      return 0;
    }
    long id = holderOf(lease);
    long sinceNs = nanoTime.getAsLong();
    execute(ledger.ask(id, MemoryKind.WRITING, bytes, limit, untilMs, nowMs()));
    if (!answers.containsKey(id)) {
      awaitWhile(lease, () -> !answers.containsKey(id) && holders.containsKey(lease));
      waits.add(nanoTime.getAsLong() - sinceNs);
    }
    Long answer = answers.remove(id);
    boolean left = !holders.containsKey(lease); // then the granted bytes are free again
    return answer == null || left ? 0 : answer;
  }

  private long holderOf(Lease lease) {
    Long id = holders.get(lease);
    return id == null ? join(lease, Borrower.PROCESS) : id;
  }

  private long join(Lease lease, Borrower borrower) {
    String task =
        borrower.task().isEmpty() ? "lease " + lease.info().generation() : borrower.task();
    long id =
        ledger.join(
            new Holding.HolderId(
                lease.owner().toString(), lease.applicationId(), task, borrower.role()),
            borrower.sortBytes());
    holders.put(lease, id);
    leases.put(id, lease);
    return id;
  }

  private void awaitWhile(Lease lease, BooleanSupplier check) {
    leaseWaits.awaitWhile(lease, () -> !closed && check.getAsBoolean());
  }

  private void letTimePass() {
    execute(ledger.tick(nowMs()));
  }

  private void execute(List<MemoryAction> actions) {
    for (MemoryAction action : actions) {
      if (action instanceof MemoryAction.Answer answer) {
        answers.put(answer.holderId(), answer.bytes());
        leaseWaits.wake(leases.get(answer.holderId()));
      } else if (action instanceof MemoryAction.Move move) {
        mover.add(move);
      } else if (action instanceof MemoryAction.Revoke revoke) {
        revocations.revoke(leases.get(revoke.holderId()), revoke.holderId(), revoke.epoch());
      }
    }
  }

  /** Passes an event and its time to the ledger, and executes the actions. */
  private void tell(LongFunction<List<MemoryAction>> event) {
    locked(() -> execute(event.apply(nowMs())));
  }

  private void locked(Runnable step) {
    lock.lock();
    try {
      step.run();
    } finally {
      lock.unlock();
    }
  }

  @Override
  public void gaveBack(Lease lease, MemoryUse use, long bytes) {
    tell(
        nowMs -> {
          Long id = holders.get(lease);
          return id == null ? List.of() : ledger.giveBack(id, kind(use), bytes, nowMs);
        });
  }

  @Override
  public void committed(Lease lease, long bytes) {
    tell(nowMs -> ledger.commit(holders.get(lease), bytes, nowMs));
  }

  @Override
  public void closed(Lease lease) {
    tell(
        nowMs -> {
          Long id = holders.remove(lease);
          leaseWaits.wake(lease);
          revocations.ended(lease, id);
          if (id == null) {
            return List.of();
          }
          leases.remove(id);
          if (!asking.contains(lease)) {
            answers.remove(id);
          }
          return ledger.leave(id, 0, nowMs);
        });
  }

  @Override
  public void stopped(String applicationId) {
    tell(
        nowMs -> {
          announced.remove(applicationId);
          return ledger.stopped(applicationId, nowMs);
        });
  }

  @Override
  public void freed(String applicationId, long bytes) {
    tell(nowMs -> ledger.freed(applicationId, bytes, nowMs));
  }

  @Override
  public void moved(String applicationId, long bytes) {
    tell(nowMs -> mover.moved(applicationId, bytes, nowMs));
  }

  @Override
  public void recovered(String applicationId, long bytes) {
    locked(
        () -> {
          makeRoom(bytes);
          ledger.recovered(applicationId, bytes);
        });
  }

  @Override
  public void quarantined(long bytes) {
    locked(
        () -> {
          makeRoom(bytes);
          ledger.quarantined(bytes);
        });
  }

  /** Grows the capacity for bytes found in the pool, even if the settings allow fewer now. */
  private void makeRoom(long bytes) {
    LedgerStats stats = ledger.stats();
    if (bytes > stats.freeBytes()) {
      execute(ledger.capacity(stats.capacityBytes() + bytes - stats.freeBytes(), nowMs()));
    }
  }

  @Override
  public void resumed(String applicationId, long bytes) {
    locked(() -> ledger.resumed(applicationId, bytes));
  }

  @Override
  public void reviewed(long bytes) {
    tell(nowMs -> ledger.reviewed(bytes, nowMs));
  }

  /** Refuses all waiting requests, and stops the moves; idempotent. */
  @Override
  public void close() {
    locked(
        () -> {
          closed = true;
          leaseWaits.wakeAll();
          revocations.close();
        });
    mover.close();
  }

  /**
   * A node's memory at one moment.
   *
   * @param holdings the memory of each task
   * @param waits of requests that were not answered at once
   * @param movedBytes of outputs that were moved out of memory so far
   * @param movedOutputs their number; each part of a large output counts
   * @param moveFailures outputs that could not be moved
   */
  public record MemorySnapshot(
      LedgerStats ledger,
      List<Holding> holdings,
      WaitCounts waits,
      long movedBytes,
      long movedOutputs,
      long moveFailures) {}
}
