package io.sluice.spill.store;

import io.sluice.rdma.threads.DaemonThreads;
import java.io.IOException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;

/**
 * Moves the outputs that {@link Emptying} chooses to the disk tier, one after the other, in a
 * thread of its own. A large output takes some seconds, in which the {@link PoolFiller} goes on
 * making segments and reassigning idle ones.
 *
 * <p>Thread contract: {@link #wake} and {@link #end} under the lock of the store, {@link #start}
 * and {@link #stop} under none. Ownership: {@link MemorySpace} stops it. Failure: the segment stays
 * its owner's.
 */
final class Emptier {
  private static final long STOP_TIMEOUT_MS = 30_000;

  private final Emptying emptying;
  private final Emptying.Content content;
  private final ReentrantLock lock;
  private final Condition wanted;
  private final MemorySpace room;
  private final Thread thread = DaemonThreads.create("sluice-pool-emptier", this::run);
  private boolean ended;

  /** With no thread yet. */
  Emptier(Emptying emptying, Emptying.Content content, ReentrantLock lock, MemorySpace room) {
    this.emptying = emptying;
    this.content = content;
    this.lock = lock;
    this.wanted = lock.newCondition();
    this.room = room;
  }

  void start() {
    thread.start();
  }

  /** Somebody may lack room, or something may be idle. */
  void wake() {
    if (emptying.isWanted()) {
      wanted.signal();
    }
  }

  /** Nothing more is moved. */
  void end() {
    ended = true;
    wanted.signal();
  }

  /** Waits for what is being moved, once it was told to {@link #end}. */
  void stop() throws IOException {
    if (!DaemonThreads.awaitEnd(thread, STOP_TIMEOUT_MS)) {
      throw new IOException(
          "an output is still being moved to disk after "
              + TimeUnit.MILLISECONDS.toSeconds(STOP_TIMEOUT_MS)
              + " s; the disk hangs");
    }
  }

  private void run() {
    while (true) {
      try {
        CommittedOutput output = next();
        if (output == null) {
          return;
        }
        content.moveToDisk(output);
      } catch (IOException | RuntimeException | Error e) {
        failed(e);
      }
    }
  }

  /** Waits for one; null when there will be none. */
  private CommittedOutput next() {
    lock.lock();
    try {
      CommittedOutput output = null;
      while (!ended && (output = emptying.next()) == null) {
        room.wakeFiller(); // nothing is left to be moved: what was emptied may go over
        wanted.awaitUninterruptibly();
      }
      return ended ? null : output;
    } finally {
      lock.unlock();
    }
  }

  private void failed(Throwable cause) {
    lock.lock();
    try {
      emptying.failed(cause);
    } finally {
      lock.unlock();
    }
  }
}
