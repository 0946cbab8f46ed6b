package io.sluice.spill.store;

import io.sluice.rdma.threads.DaemonThreads;
import io.sluice.rdma.threads.SafeLog;
import io.sluice.spill.disk.BufferSet.NoBufferException;
import java.io.IOException;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Copies outputs to the disk tier, one after the other, in a thread of its own. A copy waits in the
 * device's queue until nothing else is done there, so one thread is enough.
 *
 * <p>Thread contract: safe from any thread; {@link #add}, {@link #remove} and {@link #pause} return
 * at once, and the lock is a leaf. Ownership: {@link SpillStore} closes it: {@link #stop}, then the
 * devices, whose end ends a copy that waits, then {@link #awaitEnd}. Failure: an output that cannot
 * be copied is tried again behind the others, after {@value #PAUSE_MS} ms at the earliest. Each
 * failure is counted, and after {@value #MOST_ATTEMPTS} the output stays without a copy. An attempt
 * that only lacked room or a buffer does not count.
 */
final class CopyThread {
  static final long PAUSE_MS = 10_000;
  static final int MOST_ATTEMPTS = 3;

  private static final Logger LOG = LoggerFactory.getLogger(CopyThread.class);
  private static final long END_MS = 30_000;

  private final Work work;
  private final long pauseNs;
  private final Thread thread = DaemonThreads.create("sluice-copier", this::run);

  /** The outputs to copy, and how often each has failed; guarded by this, as all below. */
  private final Map<CommittedOutput, Integer> items = new LinkedHashMap<>();

  private boolean paused;
  private long pausedUntilNs;
  private boolean stopped;
  private long failures;

  /** Copies one, unless it is gone by now. */
  interface Work {
    void copy(CommittedOutput output) throws IOException;
  }

  private record Item(CommittedOutput output, int attempts) {}

  /** Copies nothing before it is started. */
  CopyThread(Work work, long pauseMs) {
    this.work = work;
    this.pauseNs = TimeUnit.MILLISECONDS.toNanos(pauseMs);
  }

  void start() {
    thread.start();
  }

  /** One more. */
  synchronized void add(CommittedOutput output) {
    items.put(output, 0);
    notifyAll();
  }

  /**
   * It is gone, or has left memory: where there is no room for long nobody else would forget it.
   */
  synchronized void remove(CommittedOutput output) {
    items.remove(output);
  }

  /** Somebody else needs the room on disk: for a while nothing is copied. */
  synchronized void pause() {
    paused = true;
    pausedUntilNs = System.nanoTime() + pauseNs;
  }

  /** How many times an output could not be copied, for another reason than room. */
  synchronized long failures() {
    return failures;
  }

  private void run() {
    for (Item item = next(); item != null; item = next()) {
      try {
        work.copy(item.output());
      } catch (StoreFullException | NoBufferException e) {
        LOG.debug("{} has no copy yet: {}", item.output().id(), e.getMessage());
        again(item, item.attempts());
      } catch (IOException | RuntimeException | Error e) { // of memory, mostly
        failed(item, e);
      }
    }
  }

  private void failed(Item item, Throwable cause) {
    synchronized (this) {
      if (stopped) {
        return;
      }
      failures++;
    }
    boolean last = item.attempts() + 1 == MOST_ATTEMPTS;
    SafeLog.warn(
        LOG,
        last
            ? "{} could not be copied to disk, and has no copy"
            : "{} could not be copied to disk yet",
        item.output().id(),
        cause);
    if (!last) {
      again(item, item.attempts() + 1);
    }
  }

  private synchronized void again(Item item, int attempts) {
    items.put(item.output(), attempts);
    pause();
  }

  /** Waits for one; null when there will be none. */
  private synchronized Item next() {
    while (!stopped) {
      long waitNs = paused ? pausedUntilNs - System.nanoTime() : 0;
      if (waitNs <= 0 && !items.isEmpty()) {
        paused = false;
        Map.Entry<CommittedOutput, Integer> first = items.entrySet().iterator().next();
        items.remove(first.getKey());
        return new Item(first.getKey(), first.getValue());
      }
      try {
        if (waitNs > 0) {
          TimeUnit.NANOSECONDS.timedWait(this, waitNs);
        } else {
          wait();
        }
      } catch (InterruptedException e) {
        throw new IllegalStateException("nobody interrupts the copier", e);
      }
    }
    return null;
  }

  /** Copies nothing more. */
  synchronized void stop() {
    stopped = true;
    items.clear();
    notifyAll();
  }

  /** Waits for what was being copied; nothing of the store may be unlocked before. */
  void awaitEnd() throws IOException {
    if (!DaemonThreads.awaitEnd(thread, END_MS)) {
      throw new IOException("an output is still being copied to disk after " + END_MS + " ms");
    }
  }
}
