package io.sluice.spill.memory;

import io.sluice.spill.ledger.MemoryAction;
import io.sluice.spill.ledger.MemoryLedger;
import io.sluice.spill.segment.Tier;
import io.sluice.spill.store.CommittedOutput;
import io.sluice.spill.store.SpillStore;
import io.sluice.spill.store.StoreFullException;
import io.sluice.spill.store.StoreFullException.DiskShareException;
import io.sluice.spill.store.StoreFullException.HeapShareException;
import java.io.Closeable;
import java.io.IOException;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.Spliterators;
import java.util.WeakHashMap;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Lock;
import java.util.function.Consumer;
import java.util.function.LongSupplier;
import java.util.stream.Stream;
import java.util.stream.StreamSupport;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Executes the ledger's orders to move outputs to the disk tier, one after the other on a thread of
 * its own, and tells the ledger the progress. After the disk tier was full, nobody waits for moves
 * for a while; then they are ordered anew.
 *
 * <p>Thread contract: the package's methods are called under the lock of {@link MemoryManager},
 * except {@link #close}; the mover's own thread takes the lock. Ownership: {@link MemoryManager}
 * closes it, before the store is closed. Failure: an output that cannot be moved stays in memory,
 * is counted, and comes last from then on; after {@value #MOST_FAILURES} of them the order ends. If
 * the disk tier has no room for a part of an output, smaller outputs are moved instead; if none
 * fits, the order ends. If only the user's share of the disk tier is used up, orders for other
 * users go on.
 */
final class OutputMover implements Closeable {
  /** Time after which a disk tier that was full is tried again. */
  static final long FULL_PAUSE_MS = 10_000;

  private static final int MOST_FAILURES = 3;

  /** Longer than the time limit of one request to a disk. */
  private static final long END_MS = 30_000;

  private static final Logger LOG = LoggerFactory.getLogger(OutputMover.class);

  private final Lock lock;
  private final MemoryLedger ledger;
  private final LongSupplier clockMs;
  private final Consumer<List<MemoryAction>> execute;
  private volatile SpillStore store; // null: nothing is moved
  private ThreadPoolExecutor executor; // null as well then
  private MemoryAction.Move current; // null: none
  private long fullUntilMs = Long.MAX_VALUE;
  private long movedBytes;
  private long movedOutputs;
  private long failures;
  private volatile boolean closed;

  /** Outputs that could not be moved, with a rising number; used by the mover's thread alone. */
  private final Map<CommittedOutput, Long> failed = new WeakHashMap<>();

  private long failureNumber; // of the last one in there

  /**
   * Moves nothing yet.
   *
   * @param execute runs the actions that the ledger answers with
   */
  OutputMover(
      Lock lock, MemoryLedger ledger, LongSupplier clockMs, Consumer<List<MemoryAction>> execute) {
    this.lock = lock;
    this.ledger = ledger;
    this.clockMs = clockMs;
    this.execute = execute;
  }

  /** Moves outputs of this store from now on, on this thread, which it takes over. */
  void start(SpillStore from, ThreadPoolExecutor thread) {
    store = from;
    executor = thread;
    execute.accept(ledger.moverWorks(true, clockMs.getAsLong()));
  }

  /** Queues an order. If there is no thread for it now, the order has failed. */
  void add(MemoryAction.Move order) {
    try {
      executor.execute(() -> run(order));
    } catch (RejectedExecutionException e) {
      LOG.debug("{} comes when the service ends", order, e);
    } catch (OutOfMemoryError e) { // of threads, as the JVM calls it
      LOG.warn("Outputs stay in memory for now: {}", e.toString());
      failures++;
      pause();
      execute.accept(ledger.moveEnded(order.moveId(), clockMs.getAsLong()));
    }
  }

  /** Stops moves before the ledger hears anything else: it must not order the same at once. */
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

  /** How many outputs could not be moved. */
  long failures() {
    return failures;
  }

  private void run(MemoryAction.Move order) {
    locked(() -> current = order);
    try {
      move(order);
    } catch (DiskShareException | HeapShareException e) { // there is room, for others
      LOG.info("Outputs of {} stay in memory: {}", order.application(), e.getMessage());
    } catch (StoreFullException e) {
      LOG.info("Outputs stay in memory: {}", e.getMessage());
      locked(this::pause);
    } finally {
      locked(
          () -> {
            current = null;
            execute.accept(ledger.moveEnded(order.moveId(), clockMs.getAsLong()));
          });
    }
  }

  private void move(MemoryAction.Move order) throws StoreFullException {
    if (leftBytes(order) <= 0) {
      return;
    }
    long lastFailure = failureNumber + MOST_FAILURES;
    long roomBytes = Long.MAX_VALUE;
    boolean moved = false;
    StoreFullException full = null;
    Iterator<CommittedOutput> outputs = inOrder(order.application());
    while (wantedBytes(order) > 0 && failureNumber < lastFailure && outputs.hasNext()) {
      CommittedOutput output = outputs.next();
      if (output.totalBytes() >= roomBytes) {
        continue;
      }
      try {
        moved |= store.moveToDisk(output, () -> wantedBytes(order), () -> isAwaited(order)) > 0;
      } catch (StoreFullException e) {
        full = e;
        roomBytes = output.totalBytes() / 2; // so that few of them are tried in vain
      } catch (IOException | RuntimeException e) {
        if (!closed && !store.isQuiet()) {
          LOG.warn("{} could not be moved, and stays where it is", output.id(), e);
          locked(() -> failures++);
        }
        failed.put(store.find(output.id()).orElse(output), ++failureNumber); // a part has left
      }
    }
    if (full != null && !moved) {
      throw full;
    }
  }

  private long wantedBytes(MemoryAction.Move order) {
    return closed ? 0 : leftBytes(order);
  }

  private long leftBytes(MemoryAction.Move order) {
    lock.lock();
    try {
      return ledger.leftBytes(order.moveId());
    } finally {
      lock.unlock();
    }
  }

  /** Whether a request waits for memory now, the cause of the order or another. */
  private boolean isAwaited(MemoryAction.Move order) {
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

  /**
   * In the store's order, but outputs that failed come last, in turns. An output that fails from
   * here on does not come again.
   */
  private Iterator<CommittedOutput> inOrder(String application) {
    List<CommittedOutput> again =
        failed.entrySet().stream()
            .filter(each -> each.getKey().id().applicationId().equals(application))
            .sorted(Map.Entry.comparingByValue())
            .map(Map.Entry::getKey)
            .filter(OutputMover::isInMemory)
            .toList();
    Iterator<CommittedOutput> all = store.outputsInMemory(application);
    Stream<CommittedOutput> others =
        StreamSupport.stream(Spliterators.spliteratorUnknownSize(all, 0), false)
            .filter(output -> !failed.containsKey(output));
    return Stream.concat(others, again.stream()).iterator();
  }

  private static boolean isInMemory(CommittedOutput output) {
    return output.location().isHeld()
        && output.extents().stream().anyMatch(each -> each.segment().tier() == Tier.MEMORY);
  }

  private void locked(Runnable step) {
    lock.lock();
    try {
      step.run();
    } finally {
      lock.unlock();
    }
  }

  /** Waits for the part of an output that is being moved; idempotent; called without the lock. */
  @Override
  public void close() {
    closed = true;
    ThreadPoolExecutor ending;
    lock.lock();
    try {
      ending = executor;
    } finally {
      lock.unlock();
    }
    if (ending == null) {
      return;
    }
    ending.shutdown();
    try {
      if (!ending.awaitTermination(END_MS, TimeUnit.MILLISECONDS)) {
        LOG.warn("An output is still being moved; it stays where it was");
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }
}
