package io.sluice.rdma.transport.support;

import io.sluice.rdma.threads.DaemonThreads;
import io.sluice.rdma.threads.SafeLog;
import java.util.Comparator;
import java.util.Iterator;
import java.util.Set;
import java.util.concurrent.ConcurrentSkipListSet;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One daemon thread that says when time is up.
 *
 * <p>Unlike a {@link java.util.concurrent.ScheduledThreadPoolExecutor} it is not woken for a
 * deadline later than the one it sleeps for, nor for a cancelled one: nearly every read is done
 * long before its deadline, and waking a thread costs more than sending a small read.
 *
 * <p>Its tasks only mark and wake; they never wait, for a late task would make every other deadline
 * late. Thread contract: safe from any thread. Ownership: an endpoint owns one and closes it after
 * everything it watches has ended; deadlines set later never fire.
 */
public final class Deadlines implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(Deadlines.class);
  private static final String FAILED = "{}: a deadline's task failed; the others go on";
  private static final long PAUSE_AFTER_FAILURE_NANOS = TimeUnit.MILLISECONDS.toNanos(100);
  private static final long LONGEST_SLEEP_NANOS = TimeUnit.HOURS.toNanos(1);

  private final Set<Deadline> pending =
      new ConcurrentSkipListSet<>(
          Comparator.<Deadline>comparingLong(deadline -> deadline.atNanos)
              .thenComparingLong(deadline -> deadline.sequence));
  private final AtomicLong sequences = new AtomicLong();
  private final long originNanos = System.nanoTime();
  private final Thread thread;
  private volatile long wakeAtNanos;
  private volatile boolean closed;

  public Deadlines(String threadName) {
    thread = DaemonThreads.create(threadName, this::run);
    thread.start();
  }

  /** Something that will run when time is up, unless it is cancelled before. */
  public final class Deadline {
    private final long atNanos;
    private final long sequence = sequences.getAndIncrement();
    private final Runnable onLate;

    private Deadline(long atNanos, Runnable onLate) {
      this.atNanos = atNanos;
      this.onLate = onLate;
    }

    /** It will not run, unless it is running just now. */
    public void cancel() {
      pending.remove(this);
    }
  }

  /** Runs {@code onLate} once after {@code timeoutMs}. */
  public Deadline after(long timeoutMs, Runnable onLate) {
    Deadline deadline = new Deadline(nowNanos() + TimeUnit.MILLISECONDS.toNanos(timeoutMs), onLate);
    pending.add(deadline);
    if (deadline.atNanos < wakeAtNanos) {
      LockSupport.unpark(thread);
    }
    return deadline;
  }

  /** Runs {@code check} again and again, after one that failed too. */
  public void every(long periodMs, Runnable check) {
    after(
        periodMs,
        () -> {
          try {
            check.run();
          } finally {
            again(periodMs, check);
          }
        });
  }

  /** However little memory there is: a check that is not made again would never be missed. */
  private void again(long periodMs, Runnable check) {
    while (!closed) {
      try {
        every(periodMs, check);
        return;
      } catch (Error e) {
        SafeLog.error(LOG, FAILED, thread.getName(), e);
        LockSupport.parkNanos(this, PAUSE_AFTER_FAILURE_NANOS);
      }
    }
  }

  /** Counted from the construction, so that instants compare as numbers. */
  private long nowNanos() {
    return System.nanoTime() - originNanos;
  }

  private void run() {
    while (!closed) {
      try {
        runLate();
        wakeAtNanos = nextWakeNanos();
        // Again, for a deadline that was set before the line above and saw the old value.
        LockSupport.parkNanos(this, Math.min(wakeAtNanos, nextWakeNanos()) - nowNanos());
      } catch (RuntimeException | Error e) { // of memory: to look at what is due takes some
        SafeLog.error(LOG, FAILED, thread.getName(), e);
        LockSupport.parkNanos(this, PAUSE_AFTER_FAILURE_NANOS);
      }
    }
  }

  private void runLate() {
    long nowNanos = nowNanos();
    for (Deadline first = first(); first != null && first.atNanos <= nowNanos; first = first()) {
      if (pending.remove(first)) {
        try {
          first.onLate.run();
        } catch (RuntimeException | Error e) {
          SafeLog.error(LOG, FAILED, thread.getName(), e);
        }
      }
    }
  }

  private long nextWakeNanos() {
    Deadline first = first();
    return first == null ? nowNanos() + LONGEST_SLEEP_NANOS : first.atNanos;
  }

  private Deadline first() {
    Iterator<Deadline> inOrder = pending.iterator(); // first() would throw when it is empty
    return inOrder.hasNext() ? inOrder.next() : null;
  }

  /** Drops what has not run yet. */
  @Override
  public void close() {
    closed = true;
    LockSupport.unpark(thread);
  }
}
