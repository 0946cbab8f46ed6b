package io.sluice.spill.memory;

import io.sluice.spill.ledger.MemoryAction;
import io.sluice.spill.ledger.MemoryLedger;
import java.util.List;
import java.util.concurrent.locks.Lock;
import java.util.function.Consumer;
import java.util.function.LongSupplier;

/**
 * The ledger's orders to move outputs to the disk tier: passes them to the {@link OutputMover}, and
 * tells the ledger what the mover did. After the disk tier was full, nobody waits for moves for a
 * while; then they are ordered anew.
 *
 * <p>Thread contract: the package's methods are called under the lock of {@link MemoryManager}; the
 * mover's thread, which calls the listener's, takes it. Ownership: its manager's.
 */
final class MoveOrders implements OutputMover.Listener {
  /** After which a disk tier that was full is tried again. */
  static final long FULL_PAUSE_MS = 10_000;

  private final Lock lock;
  private final MemoryLedger ledger;
  private final LongSupplier clockMs;
  private final Consumer<List<MemoryAction>> execute;
  private OutputMover mover; // null: nothing is moved
  private MemoryAction.Move current; // null: none
  private long fullUntilMs = Long.MAX_VALUE;
  private long movedBytes;
  private long movedOutputs;
  private long failures;

  /**
   * Of a manager that has no mover yet.
   *
   * @param execute runs the actions that the ledger answers with
   */
  MoveOrders(
      Lock lock, MemoryLedger ledger, LongSupplier clockMs, Consumer<List<MemoryAction>> execute) {
    this.lock = lock;
    this.ledger = ledger;
    this.clockMs = clockMs;
    this.execute = execute;
  }

  void start(OutputMover by) {
    mover = by;
    execute.accept(ledger.moverWorks(true, clockMs.getAsLong()));
  }

  /** The mover, which is closed without the lock; null if there is none. */
  OutputMover mover() {
    return mover;
  }

  void add(MemoryAction.Move order) {
    if (!mover.add(order)) {
      failures++;
      pause();
      execute.accept(ledger.moveEnded(order.moveId(), clockMs.getAsLong()));
    }
  }

  /** Before anything else is told: the ledger must not order the same at once. */
  private void pause() {
    fullUntilMs = clockMs.getAsLong() + FULL_PAUSE_MS;
    execute.accept(ledger.moverWorks(false, clockMs.getAsLong()));
  }

  void tryDiskAgain() {
    if (clockMs.getAsLong() >= fullUntilMs) {
      fullUntilMs = Long.MAX_VALUE;
      execute.accept(ledger.moverWorks(true, clockMs.getAsLong()));
    }
  }

  /** An output, or a part of it, has left the memory tier. */
  List<MemoryAction> moved(String applicationId, long bytes, long nowMs) {
    movedBytes += bytes;
    movedOutputs++;
    boolean ordered = current != null && current.application().equals(applicationId);
    return ordered
        ? ledger.moved(current.moveId(), bytes, nowMs)
        : ledger.freed(applicationId, bytes, nowMs); // the store empties a segment
  }

  long movedBytes() {
    return movedBytes;
  }

  long movedOutputs() {
    return movedOutputs;
  }

  long failures() {
    return failures;
  }

  @Override
  public void begun(MemoryAction.Move order) {
    locked(() -> current = order);
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
    locked(() -> failures++);
  }

  @Override
  public void full() {
    locked(this::pause);
  }

  @Override
  public void ended(MemoryAction.Move order) {
    locked(
        () -> {
          current = null;
          execute.accept(ledger.moveEnded(order.moveId(), clockMs.getAsLong()));
        });
  }

  private void locked(Runnable step) {
    lock.lock();
    try {
      step.run();
    } finally {
      lock.unlock();
    }
  }
}
