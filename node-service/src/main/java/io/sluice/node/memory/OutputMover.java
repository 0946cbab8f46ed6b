package io.sluice.node.memory;

import io.sluice.node.ledger.Order;
import io.sluice.rdma.threads.DaemonThreads;
import io.sluice.spill.store.CommittedOutput;
import io.sluice.spill.store.SpillStore;
import io.sluice.spill.store.StoreFullException;
import java.io.IOException;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Moves outputs to the disk tier as it is ordered, on a thread of its own, one order after the
 * other.
 *
 * <p>Thread contract: safe from any thread. Ownership: {@link LedgerKeeper} closes it, before the
 * store is closed. Failure: an output that cannot be moved stays where it is, and is counted; after
 * {@value #MOST_FAILURES} of them, or when the disk tier is full, the order ends.
 */
final class OutputMover implements AutoCloseable {
  private static final int MOST_FAILURES = 3;
  private static final long IDLE_MS = 10_000;

  /** Longer than a disk has for one thing that is asked of it. */
  private static final long END_MS = 30_000;

  private static final Logger LOG = LoggerFactory.getLogger(OutputMover.class);

  private final SpillStore store;
  private final Listener listener;
  private final ThreadPoolExecutor executor = DaemonThreads.executor("sluice-mover", IDLE_MS);
  private volatile boolean closed;

  /** Is told how orders go. */
  interface Listener {
    /** What is moved from now on is for this order. */
    void begun(Order.Move order);

    /** How much of it is still wanted. */
    long leftBytes(Order.Move order);

    /** An output could not be moved. */
    void failed();

    /** There is no room on the disk tier. */
    void full();

    /** Nothing more is moved for this order. */
    void ended(Order.Move order);
  }

  OutputMover(SpillStore store, Listener listener) {
    this.store = store;
    this.listener = listener;
  }

  /** Returns at once. */
  void add(Order.Move order) {
    try {
      executor.execute(() -> run(order));
    } catch (RejectedExecutionException e) {
      LOG.debug("{} comes when the service ends", order, e);
    }
  }

  private void run(Order.Move order) {
    listener.begun(order);
    try {
      move(order);
    } catch (StoreFullException e) {
      LOG.info("Outputs stay in memory: {}", e.getMessage());
      listener.full();
    } finally {
      listener.ended(order);
    }
  }

  private void move(Order.Move order) throws StoreFullException {
    int failures = 0;
    if (listener.leftBytes(order) <= 0) {
      return;
    }
    for (CommittedOutput output : store.outputsInMemory(order.application())) {
      if (listener.leftBytes(order) <= 0 || failures == MOST_FAILURES || closed) {
        return;
      }
      try {
        store.moveToDisk(output);
      } catch (StoreFullException e) {
        throw e;
      } catch (IOException | RuntimeException e) {
        if (!closed && !store.isQuiet()) {
          LOG.warn("{} could not be moved, and stays where it is", output.id(), e);
          listener.failed();
        }
        failures++;
      }
    }
  }

  /** Lets the output that is being moved be finished; idempotent. */
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
