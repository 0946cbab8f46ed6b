package io.sluice.spill.store;

import io.sluice.rdma.memory.Closer;
import java.io.IOException;
import java.nio.file.Path;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.ReentrantLock;

/**
 * The threads of one directory of the disk tier. What is waited for under the lock of the store
 * does not queue behind files that are made, cut and deleted, which a loaded disk does slowly: how
 * much room there is, which a file system knows without its disk, and a mark or an epoch. A
 * directory whose mark may be wrong is not believed at the next start, so the thread for marks is
 * there before it is needed.
 *
 * <p>Ownership: {@link DiskDirectories} closes them.
 *
 * @param files makes, cuts, closes and deletes files
 * @param marks writes commit marks and epochs, and looks for marks that nobody claims; it never
 *     waits for the others, but for a file that is in use there
 * @param room asks how much room there is
 * @param turn of those who have files made: one at a time, so that nobody's time runs while others
 *     have theirs made
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

  /** Starts that for marks, which stays: who had none when a mark is due would lose outputs. */
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
