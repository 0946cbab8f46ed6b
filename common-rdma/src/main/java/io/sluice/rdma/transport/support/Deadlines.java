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
 * A timer for deadlines, with one daemon thread.
 *
 * <p>Unlike a {@link java.util.concurrent.ScheduledThreadPoolExecutor} it is not woken for a new
 * deadline that is later than the next one, nor for a cancelled one. Nearly all reads finish long
 * before their deadline, and waking a thread costs more than sending a small read.
 *
 * <p>Its tasks must not wait, because a late task delays all other deadlines. Thread contract: safe
 * from any thread. Ownership: an endpoint closes it after all connections and reads have ended;
 * deadlines set later never fire.
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

  /** A task that runs at its time unless it is cancelled before. */
  public final class Deadline {
    private final long atNanos;
    private final long sequence = sequences.getAndIncrement();
    private final Runnable onLate;

    private Deadline(long atNanos, Runnable onLate) {
      this.atNanos = atNanos;
      this.onLate = onLate;
    }

    /** Cancels the task; it may be running at the moment. */
    public void cancel() {
      pending.remove(this);
    }
  }

  /** Runs {@code onLate} after {@code timeoutMs}: once, but again if memory was short. */
  public Deadline after(long timeoutMs, Runnable onLate) {
    Deadline deadline = new Deadline(nowNanos() + TimeUnit.MILLISECONDS.toNanos(timeoutMs), onLate);
    pending.add(deadline);
    if (deadline.atNanos < wakeAtNanos) {
      LockSupport.unpark(thread);
    }
    return deadline;
  }

  /** Runs {@code check} periodically, even after a failure. */
  public void every(long periodMs, Runnable check) {
    after(
        periodMs,
        () -> {
          try {
            check.run();
          } catch (RuntimeException | Error e) {
            SafeLog.error(LOG, FAILED, thread.getName(), e);
          } finally {
            again(periodMs, check);
          }
        });
  }

  /**
   * Schedules the next run, and tries again if memory is short: a lost check would go unnoticed.
   */
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

  /** The time since construction, so that instants compare as numbers. */
  private long nowNanos() {
    return System.nanoTime() - originNanos;
  }

  private void run() {
    while (!closed) {
      try {
        runLate();
        wakeAtNanos = nextWakeNanos();
        // Checked again for a deadline that was set before the line above and saw the old value.
        LockSupport.parkNanos(this, Math.min(wakeAtNanos, nextWakeNanos()) - nowNanos());
      } catch (RuntimeException | Error e) { // for want of memory: the check itself allocates
        SafeLog.error(LOG, FAILED, thread.getName(), e);
        LockSupport.parkNanos(this, PAUSE_AFTER_FAILURE_NANOS);
      }
    }
  }

  /** A task that fails for want of memory has not done its work: it stays, and runs again. */
  private void runLate() {
    long nowNanos = nowNanos();
    OutOfMemoryError shortage = null;
    for (Deadline deadline : pending) { // the earliest first
      if (deadline.atNanos > nowNanos) {
        break;
      }
      if (!pending.contains(deadline)) {
        continue; // cancelled meanwhile
      }
      try {
        deadline.onLate.run();
      } catch (OutOfMemoryError e) {
        shortage = e;
        continue;
      } catch (RuntimeException | Error e) {
        SafeLog.error(LOG, FAILED, thread.getName(), e);
      }
      pending.remove(deadline);
    }
    if (shortage != null) {
      throw shortage; // after a pause
    }
  }

  private long nextWakeNanos() {
    Deadline first = first();
    return first == null ? nowNanos() + LONGEST_SLEEP_NANOS : first.atNanos;
  }

  private Deadline first() {
    Iterator<Deadline> inOrder = pending.iterator(); // first() throws on an empty set
    return inOrder.hasNext() ? inOrder.next() : null;
  }

  /** Cancels all pending tasks. */
  @Override
  public void close() {
    closed = true;
    LockSupport.unpark(thread);
  }
}
