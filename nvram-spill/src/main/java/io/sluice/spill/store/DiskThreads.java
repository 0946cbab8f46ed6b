package io.sluice.spill.store;

import io.sluice.rdma.memory.Closer;
import java.io.IOException;
import java.nio.file.Path;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.ReentrantLock;

/**
 * The threads of one directory of the disk tier. A loaded disk is slow to make, cut and delete
 * files. Two kinds of jobs must not queue behind that, because the store waits for them under its
 * lock. One asks how much room there is, which a file system knows without its disk. The other
 * writes marks and epochs. A directory whose mark may be wrong is not believed at the next start,
 * so the thread for marks is started before it is needed.
 *
 * <p>Ownership: {@link DiskDirectories} closes them.
 *
 * @param files makes, cuts, closes and deletes files
 * @param marks writes commit marks and epochs, and looks for marks that nobody claims; it never
 *     waits for the others, but for a file that is in use there
 * @param room asks how much room there is
 * @param turn is held by the lease whose files are made: one at a time, so that the deadline of one
 *     does not run while the files of others are made
 */
record DiskThreads(DiskThread files, DiskThread marks, DiskThread room, ReentrantLock turn)
    implements AutoCloseable {
  private static final long IDLE_MS = 10_000;

  /**
   * For one directory; none is started yet.
   *
   * @param hanging how many threads of the store hang
   */
  static DiskThreads of(Path directory, long timeoutMs, AtomicInteger hanging) {
    return new DiskThreads(
        new DiskThread("sluice-disk", directory, IDLE_MS, timeoutMs, hanging),
        new DiskThread("sluice-marks", directory, Long.MAX_VALUE, timeoutMs, hanging),
        new DiskThread("sluice-room", directory, IDLE_MS, timeoutMs, hanging),
        new ReentrantLock(true));
  }

  /** Starts the thread for marks, which stays: without it, a mark that is due would be lost. */
  void start() throws IOException {
    marks.runPatiently(() -> {});
  }

  /** Whether one of them does. */
  boolean hang() {
    return files.hangs() || marks.hangs() || room.hangs();
  }

  long timeoutMs() {
    return files.timeoutMs();
  }

  /** Does it when files and marks are as they were asked to be before, however late. */
  void afterAll(DiskThread.Action action) throws IOException {
    AtomicInteger busy = new AtomicInteger(2);
    DiskThread.Action last =
        () -> {
          if (busy.decrementAndGet() == 0) {
            action.run();
          }
        };
    Closer.all(() -> files.runSometime(last), () -> marks.runSometime(last));
  }

  @Override
  public void close() {
    files.close();
    marks.close();
    room.close();
  }
}
