package io.sluice.rdma.transport.verbs;

import java.io.IOException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.locks.LockSupport;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.BooleanSupplier;

/**
 * Takes the completions of a connection, one thread at a time. A thread that waits for a read polls
 * for a short time first, as long as that pays and no other thread polls. The connection's thread
 * takes what nobody waits for: it sleeps on the completion channel.
 *
 * <p>When that thread is woken for completions which a waiting thread has taken already, it asks
 * for no event for the next {@link #REST_MS}. So it is not woken by each read of a thread that
 * polls. What comes meanwhile it takes at the end of that time. It alone asks for events: a device
 * may ignore a thread that asks while another takes the last event.
 *
 * <p>Thread contract: {@link #run} and {@link #last} on the connection's thread, the rest on any.
 * Failure: {@link IOException}; the connection then ends.
 */
final class CompletionTurns {
  private static final int REST_MS = 1;

  /** A thread that polls looks at the clock after so many times. */
  private static final int POLLS_OF_TIME = 16;

  /** The thread waits no longer, should a wake-up be lost. */
  private static final int SLEEP_MS = 60_000;

  private static final long PAUSE_NANOS = TimeUnit.MICROSECONDS.toNanos(100);

  private final ReentrantLock turn = new ReentrantLock();
  private final AtomicBoolean polling = new AtomicBoolean(); // by a thread that waits
  private final PollBudget budget = new PollBudget();
  private final VerbsReadQueue queue;
  private final BooleanSupplier open;
  private final Runnable taker;

  /**
   * Takes nothing yet.
   *
   * @param open whether the connection is open; the queue is not used after it was not
   * @param taker completes what the queue has polled
   */
  CompletionTurns(VerbsReadQueue queue, BooleanSupplier open, Runnable taker) {
    this.queue = queue;
    this.open = open;
    this.taker = taker;
  }

  /** Whether the calling thread is taking completions, so this is a callback of a read. */
  boolean isMine() {
    return turn.isHeldByCurrentThread();
  }

  /** What the connection's thread does until the connection ends. */
  void run() throws IOException {
    while (open.getAsBoolean()) {
      if (queue.await(SLEEP_MS) && !take()) {
        queue.await(REST_MS);
      }
      requestEvent();
    }
  }

  /** Polls for a thread that waits until {@code done}; returns when it is, or the thread sleeps. */
  void poll(BooleanSupplier done) throws IOException {
    if (isMine()) {
      return; // a callback, which must not wait
    }
    if (budget.mayPoll() && polling.compareAndSet(false, true)) {
      try {
        pollInTime(done);
      } finally {
        polling.set(false);
      }
    }
    if (done.getAsBoolean()) {
      budget.found();
    }
  }

  private void pollInTime(BooleanSupplier done) throws IOException {
    long startNanos = 0;
    for (int polls = 1; open.getAsBoolean(); polls++) {
      tryTake();
      if (done.getAsBoolean()) {
        return;
      }
      if (polls % POLLS_OF_TIME == 0) { // in a guest, the clock costs more than a poll
        long nowNanos = System.nanoTime();
        startNanos = polls == POLLS_OF_TIME ? nowNanos : startNanos;
        if (nowNanos - startNanos >= PollBudget.LIMIT_NANOS) {
          budget.vain();
          return;
        }
      }
      Thread.onSpinWait();
    }
  }

  /**
   * The last turn, when the connection has ended: after it, no thread uses the queue. Needs no
   * memory of the heap.
   */
  void last(Runnable end) {
    while (!turn.tryLock()) { // a thread that waits for a read has it
      LockSupport.parkNanos(PAUSE_NANOS);
    }
    try {
      end.run();
    } finally {
      turn.unlock();
    }
  }

  /** Takes nothing while the connection's thread has the turn. */
  private void tryTake() throws IOException {
    if (turn.tryLock()) {
      try {
        takeInTurn();
      } finally {
        turn.unlock();
      }
    }
  }

  private boolean take() throws IOException {
    turn.lock();
    try {
      return takeInTurn();
    } finally {
      turn.unlock();
    }
  }

  /** Asks for an event, and takes what came before. */
  private void requestEvent() throws IOException {
    turn.lock();
    try {
      if (open.getAsBoolean()) {
        queue.requestEvent();
      }
      while (takeInTurn()) {}
    } finally {
      turn.unlock();
    }
  }

  private boolean takeInTurn() throws IOException {
    boolean found = open.getAsBoolean() && queue.poll();
    if (found) {
      taker.run();
    }
    return found;
  }
}
