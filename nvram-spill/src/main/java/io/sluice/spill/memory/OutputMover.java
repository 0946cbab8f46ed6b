package io.sluice.spill.memory;

import io.sluice.rdma.threads.DaemonThreads;
import io.sluice.spill.ledger.MemoryAction;
import io.sluice.spill.segment.Tier;
import io.sluice.spill.store.CommittedOutput;
import io.sluice.spill.store.SpillStore;
import io.sluice.spill.store.StoreFullException;
import io.sluice.spill.store.StoreFullException.DiskShareException;
import io.sluice.spill.store.StoreFullException.HeapShareException;
import java.io.IOException;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.Spliterators;
import java.util.WeakHashMap;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import java.util.stream.StreamSupport;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Executes orders to move outputs to the disk tier, on a thread of its own, one after the other.
 *
 * <p>Thread contract: safe from any thread. Ownership: {@link MemoryManager} closes it, before the
 * store is closed. Failure: an output that cannot be moved stays in memory, is counted, and comes
 * last from then on; after {@value #MOST_FAILURES} of them the order ends. If the disk tier has no
 * room for a part of an output, smaller outputs are moved instead; if none fits, the order ends. If
 * only the user's share of the disk tier is used up, orders for other users go on.
 */
final class OutputMover implements AutoCloseable {
  private static final int MOST_FAILURES = 3;
  private static final long IDLE_MS = 10_000;

  /** Longer than the time limit of one request to a disk. */
  private static final long END_MS = 30_000;

  private static final Logger LOG = LoggerFactory.getLogger(OutputMover.class);

  private final SpillStore store;
  private final Listener listener;
  private final ThreadPoolExecutor executor;

  /** Outputs that could not be moved, with a rising number; used by the mover's thread alone. */
  private final Map<CommittedOutput, Long> failed = new WeakHashMap<>();

  private long failures;
  private volatile boolean closed;

  /** Is told the progress of orders. */
  interface Listener {
    /** Moves from now on are for this order. */
    void begun(MemoryAction.Move order);

    /** Bytes of the order that are still wanted. */
    long leftBytes(MemoryAction.Move order);

    /** Whether a request waits for memory now, the cause of the order or another. */
    boolean isAwaited(MemoryAction.Move order);

    /** An output could not be moved. */
    void failed();

    /** There is no room on the disk tier. */
    void full();

    /** Nothing more is moved for this order. */
    void ended(MemoryAction.Move order);
  }

  OutputMover(SpillStore store, Listener listener) {
    this(store, listener, DaemonThreads.executor("sluice-mover", IDLE_MS));
  }

  /** The same on the given thread. */
  OutputMover(SpillStore store, Listener listener, ThreadPoolExecutor executor) {
    this.store = store;
    this.listener = listener;
    this.executor = executor;
  }

  /** Returns at once; false if there is no thread for it now. */
  boolean add(MemoryAction.Move order) {
    try {
      executor.execute(() -> run(order));
    } catch (RejectedExecutionException e) {
      LOG.debug("{} comes when the service ends", order, e);
    } catch (OutOfMemoryError e) { // of threads, as the JVM calls it
      LOG.warn("Outputs stay in memory for now: {}", e.toString());
      return false;
    }
    return true;
  }

  private void run(MemoryAction.Move order) {
    listener.begun(order);
    try {
      move(order);
    } catch (DiskShareException | HeapShareException e) { // there is room, for others
      LOG.info("Outputs of {} stay in memory: {}", order.application(), e.getMessage());
    } catch (StoreFullException e) {
      LOG.info("Outputs stay in memory: {}", e.getMessage());
      listener.full();
    } finally {
      listener.ended(order);
    }
  }

  private void move(MemoryAction.Move order) throws StoreFullException {
    if (listener.leftBytes(order) <= 0) {
      return;
    }
    long lastFailure = failures + MOST_FAILURES;
    long roomBytes = Long.MAX_VALUE;
    boolean moved = false;
    StoreFullException full = null;
    Iterator<CommittedOutput> outputs = inOrder(order.application());
    while (stillWantedBytes(order) > 0 && failures < lastFailure && outputs.hasNext()) {
      CommittedOutput output = outputs.next();
      if (output.totalBytes() >= roomBytes) {
        continue;
      }
      try {
        moved |=
            store.moveToDisk(output, () -> stillWantedBytes(order), () -> listener.isAwaited(order))
                > 0;
      } catch (StoreFullException e) {
        full = e;
        roomBytes = output.totalBytes() / 2; // so that few of them are tried in vain
      } catch (IOException | RuntimeException e) {
        if (!closed && !store.isQuiet()) {
          LOG.warn("{} could not be moved, and stays where it is", output.id(), e);
          listener.failed();
        }
        failed.put(store.find(output.id()).orElse(output), ++failures); // a part of it has left
      }
    }
    if (full != null && !moved) {
      throw full;
    }
  }

  private long stillWantedBytes(MemoryAction.Move order) {
    return closed ? 0 : listener.leftBytes(order);
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

  /** Waits for the part of an output that is being moved; idempotent. */
  @Override
  public void close() {
    closed = true;
    executor.shutdown();
    try {
      if (!executor.awaitTermination(END_MS, TimeUnit.MILLISECONDS)) {
        LOG.warn("An output is still being moved; it stays where it was");
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }
}
