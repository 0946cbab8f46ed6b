package io.sluice.node.memory;

import io.sluice.node.ledger.GrantTerms;
import io.sluice.node.ledger.Holding;
import io.sluice.node.ledger.LedgerStats;
import io.sluice.node.ledger.MemoryAction;
import io.sluice.node.ledger.MemoryKind;
import io.sluice.node.ledger.MemoryLedger;
import io.sluice.node.ledger.WaitLimit;
import io.sluice.rdma.metrics.WaitHistogram;
import io.sluice.spill.store.Lease;
import io.sluice.spill.store.MemoryArbiter;
import io.sluice.spill.store.MemoryUse;
import io.sluice.spill.store.SpillStore;
import java.io.Closeable;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.BooleanSupplier;
import java.util.function.LongSupplier;

/**
 * Keeps the ledger of a store's memory tier: tells it what happens, and when, and has done what it
 * orders. One of those who wait for an answer lets the time pass for all, so nobody else has to.
 *
 * <p>Thread contract: safe from any thread. Its lock is the last one: nothing is called under it
 * but the ledger. Ownership: whoever made it closes it before the store, so that nobody waits.
 * Failure: an ask that is interrupted goes on, with the flag set, for it ends soon.
 */
public final class MemoryManager implements MemoryArbiter, Closeable {
  /**
   * Most that is asked for at once of what need not be contiguous: so less than all is granted too.
   */
  private static final long MAX_STEP_BYTES = 8L << 20;

  /** Many of them are asked in larger ones: others wait for the lock meanwhile. */
  private static final int MAX_STEPS = 64;

  /** Most that a step is of a small memory tier. */
  private static final int STEP_PART = 32;

  /** After which a disk tier that was full is tried again. */
  static final long FULL_PAUSE_MS = 10_000;

  private final LongSupplier nanoTime;
  private final long beginNs;
  private final long waitMs;
  private final long revokeMs;
  private final ReentrantLock lock = new ReentrantLock();
  private final LeaseWaits leaseWaits = new LeaseWaits(lock, this::letTimePass);
  private final MemoryLedger ledger;
  private final Map<Lease, Long> holders = new HashMap<>();
  private final Map<Long, Lease> leases = new HashMap<>(); // of the same
  private final Set<Lease> asking = new HashSet<>();
  private final Map<Lease, List<Listening>> listeners = new HashMap<>(); // of each that has any
  private final Map<Long, Long> epochs = new HashMap<>(); // of the last notice, by holder
  private final Map<Long, Long> answers = new HashMap<>(); // by holder, until it has seen it
  private final Set<String> announced = new HashSet<>(); // until they end
  private final WaitHistogram waits = new WaitHistogram();
  private boolean lendsToSort;
  private OutputMover mover; // null: nothing is moved
  private MemoryAction.Move moving; // null: none
  private long fullUntilMs = Long.MAX_VALUE;
  private long movedBytes;
  private long movedOutputs;
  private long moveFailures;
  private boolean closed;

  /** Of a memory tier of so many bytes. */
  public MemoryManager(GrantTerms terms, long capacityBytes) {
    this(terms, capacityBytes, System::nanoTime);
  }

  /** The same by a clock of one's own. */
  MemoryManager(GrantTerms terms, long capacityBytes, LongSupplier nanoTime) {
    this.nanoTime = nanoTime;
    this.beginNs = nanoTime.getAsLong();
    this.waitMs = terms.waitMs();
    this.revokeMs = terms.revokeMs();
    this.ledger = new MemoryLedger(terms, capacityBytes);
  }

  /** Grants sort buffers memory, which it refuses them before. */
  public void lendToSort() {
    lock.lock();
    try {
      lendsToSort = true;
    } finally {
      lock.unlock();
    }
  }

  /** Moves outputs of this store, which has a disk tier, when memory is short. */
  public void moveOutputsOf(SpillStore store) {
    moveOutputs(new OutputMover(store, new Moves()));
  }

  /** Their copies are on disk by then, so that it costs no write. */
  public void outputsHaveCopies() {
    lock.lock();
    try {
      ledger.outputsHaveCopies();
    } finally {
      lock.unlock();
    }
  }

  /** The same on a thread of one's own. */
  void moveOutputsOf(SpillStore store, ThreadPoolExecutor executor) {
    moveOutputs(new OutputMover(store, new Moves(), executor));
  }

  private void moveOutputs(OutputMover by) {
    lock.lock();
    try {
      mover = by;
      execute(ledger.moverWorks(true, nowMs()));
    } finally {
      lock.unlock();
    }
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
          movedBytes,
          movedOutputs,
          moveFailures);
    } finally {
      lock.unlock();
    }
  }

  /** The first container of an application has come, or another one. */
  public void expected(String applicationId) {
    tell(nowMs -> announced.add(applicationId) ? ledger.expected(applicationId, nowMs) : List.of());
  }

  /** Says whose a lease is that has asked for nothing yet; who does not is a process. */
  public void introduce(Lease lease, Borrower borrower) {
    lock.lock();
    try {
      join(lease, borrower);
    } finally {
      lock.unlock();
    }
  }

  /** Begins to hear for a lease, until it is closed. */
  public Listening listen(Lease lease) {
    lock.lock();
    try {
      Listening listening = new Listening(lease);
      listeners.computeIfAbsent(lease, key -> new ArrayList<>()).add(listening);
      hearAgain(lease);
      return listening;
    } finally {
      lock.unlock();
    }
  }

  private void hearAgain(Lease lease) {
    Long id = holders.get(lease);
    if (id != null) {
      ledger.hears(id, listeners.containsKey(lease));
    }
  }

  private void wakeListeners(Lease lease) {
    listeners.getOrDefault(lease, List.of()).forEach(listening -> listening.noticed.signalAll());
  }

  /** One that hears what the borrower of a lease is told; its opener closes it. */
  public final class Listening implements Closeable {
    private final Lease lease;
    private final Condition noticed = lock.newCondition();
    private boolean ended;

    private Listening(Lease lease) {
      this.lease = lease;
    }

    /**
     * Waits for a notice after that of {@code seenEpoch}, so long at most.
     *
     * @return the last one there is; empty if the lease is closed, or nobody is told any more
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
          List<Listening> left = listeners.get(lease);
          left.remove(this);
          if (left.isEmpty()) {
            listeners.remove(lease);
          }
          hearAgain(lease);
        }
      } finally {
        lock.unlock();
      }
    }
  }

  @Override
  public boolean askNow(Lease lease, MemoryUse use, long bytes) {
    lock.lock();
    try {
      awaitWhile(lease, () -> asking.contains(lease)); // of another thread, which ends soon
      tryDiskAgain();
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
      long untilMs = nowMs() + Math.min(timeoutMs, last ? revokeMs : waitMs); // for all steps
      WaitLimit patience = last ? WaitLimit.LAST : WaitLimit.COMING;
      awaitWhile(lease, () -> asking.contains(lease)); // one ask of each at a time
      asking.add(lease);
      try {
        tryDiskAgain();
        return contiguous
            ? askWhole(lease, bytes, patience, untilMs)
            : askInSteps(lease, bytes, patience, untilMs);
      } finally {
        asking.remove(lease);
        leaseWaits.wake(lease);
      }
    } finally {
      lock.unlock();
    }
  }

  private long askWhole(Lease lease, long bytes, WaitLimit patience, long untilMs) {
    long grantedBytes = askStep(lease, bytes, patience, untilMs);
    if (grantedBytes == bytes) {
      return bytes;
    }
    gaveBack(lease, MemoryUse.WRITING, grantedBytes);
    return 0;
  }

  private long askInSteps(Lease lease, long bytes, WaitLimit patience, long untilMs) {
    long blockBytes = lease.info().blockBytes();
    long mostBytes =
        Math.min(
            Math.max(MAX_STEP_BYTES, bytes / MAX_STEPS),
            ledger.stats().capacityBytes() / STEP_PART);
    long wholeBytes = Math.max(1, mostBytes / blockBytes) * blockBytes;
    long grantedBytes = 0;
    while (grantedBytes < bytes) {
      long stepBytes = Math.min(wholeBytes, bytes - grantedBytes);
      long gotBytes = askStep(lease, stepBytes, patience, untilMs);
      grantedBytes += gotBytes;
      if (gotBytes < stepBytes) {
        break;
      }
    }
    return grantedBytes;
  }

  private long askStep(Lease lease, long bytes, WaitLimit patience, long untilMs) {
    if (closed || bytes > ledger.stats().capacityBytes()) {
      return 0;
    }
    long id = holderOf(lease);
    long sinceNs = nanoTime.getAsLong();
    execute(ledger.ask(id, MemoryKind.WRITING, bytes, patience, untilMs, nowMs()));
    if (!answers.containsKey(id)) {
      awaitWhile(lease, () -> !answers.containsKey(id) && holders.containsKey(lease));
      waits.add(nanoTime.getAsLong() - sinceNs);
    }
    Long answer = answers.remove(id);
    boolean left = !holders.containsKey(lease); // then what it was granted is free again
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

  private void tryDiskAgain() {
    if (nowMs() >= fullUntilMs) {
      fullUntilMs = Long.MAX_VALUE;
      execute(ledger.moverWorks(true, nowMs()));
    }
  }

  private void execute(List<MemoryAction> orders) {
    for (MemoryAction order : orders) {
      if (order instanceof MemoryAction.Answer answer) {
        answers.put(answer.holderId(), answer.bytes());
        leaseWaits.wake(leases.get(answer.holderId()));
      } else if (order instanceof MemoryAction.Move move) {
        if (!mover.add(move)) {
          cannotMove(move);
        }
      } else if (order instanceof MemoryAction.Revoke revoke) {
        epochs.put(revoke.holderId(), revoke.epoch());
        wakeListeners(leases.get(revoke.holderId()));
      }
    }
  }

  /** Until the pause has passed nobody waits for moves; then they are ordered anew. */
  private void cannotMove(MemoryAction.Move move) {
    moveFailures++;
    fullUntilMs = nowMs() + FULL_PAUSE_MS;
    execute(ledger.moverWorks(false, nowMs())); // first: it is not ordered again at once
    execute(ledger.moveEnded(move.moveId(), nowMs()));
  }

  /** One that was told in order. */
  private interface Event {
    List<MemoryAction> tell(long nowMs);
  }

  private void tell(Event event) {
    lock.lock();
    try {
      execute(event.tell(nowMs()));
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
          wakeListeners(lease);
          if (id == null) {
            return List.of();
          }
          leases.remove(id);
          if (!asking.contains(lease)) {
            answers.remove(id);
          }
          epochs.remove(id);
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
    tell(
        nowMs -> {
          movedBytes += bytes;
          movedOutputs++;
          boolean ordered = moving != null && moving.application().equals(applicationId);
          return ordered
              ? ledger.moved(moving.moveId(), bytes, nowMs)
              : ledger.freed(applicationId, bytes, nowMs); // the store empties a segment
        });
  }

  @Override
  public void recovered(String applicationId, long bytes) {
    tell(
        nowMs -> {
          makeRoom(bytes, nowMs);
          ledger.recovered(applicationId, bytes);
          return List.of();
        });
  }

  @Override
  public void quarantined(long bytes) {
    tell(
        nowMs -> {
          makeRoom(bytes, nowMs);
          ledger.quarantined(bytes);
          return List.of();
        });
  }

  /** What was found is there, however much the settings allow now. */
  private void makeRoom(long bytes, long nowMs) {
    LedgerStats stats = ledger.stats();
    if (bytes > stats.freeBytes()) {
      execute(ledger.capacity(stats.capacityBytes() + bytes - stats.freeBytes(), nowMs));
    }
  }

  @Override
  public void resumed(String applicationId, long bytes) {
    tell(
        nowMs -> {
          ledger.resumed(applicationId, bytes);
          return List.of();
        });
  }

  @Override
  public void reviewed(long bytes) {
    tell(nowMs -> ledger.reviewed(bytes, nowMs));
  }

  /** What the mover tells. */
  private final class Moves implements OutputMover.Listener {
    @Override
    public void begun(MemoryAction.Move order) {
      tell(
          nowMs -> {
            moving = order;
            return List.of();
          });
    }

    @Override
    public long leftBytes(MemoryAction.Move order) {
      lock.lock();
      try {
        return ledger.leftBytes(order.moveId());
      } finally {
        lock.unlock();
      }
    }

    @Override
    public boolean isAwaited(MemoryAction.Move order) {
      if (order.urgent()) {
        return true;
      }
      lock.lock();
      try {
        return ledger.isAwaited();
      } finally {
        lock.unlock();
      }
    }

    @Override
    public void failed() {
      tell(
          nowMs -> {
            moveFailures++;
            return List.of();
          });
    }

    @Override
    public void full() {
      tell(
          nowMs -> {
            fullUntilMs = nowMs + FULL_PAUSE_MS;
            return ledger.moverWorks(false, nowMs);
          });
    }

    @Override
    public void ended(MemoryAction.Move order) {
      tell(
          nowMs -> {
            moving = null;
            return ledger.moveEnded(order.moveId(), nowMs);
          });
    }
  }

  /** Answers whoever waits, with nothing, and moves nothing more; idempotent. */
  @Override
  public void close() {
    OutputMover ending;
    lock.lock();
    try {
      closed = true;
      leaseWaits.wakeAll();
      listeners.keySet().forEach(this::wakeListeners);
      ending = mover;
    } finally {
      lock.unlock();
    }
    if (ending != null) {
      ending.close();
    }
  }
}
