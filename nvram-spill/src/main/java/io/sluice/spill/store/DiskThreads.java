package io.sluice.spill.store;

import io.sluice.rdma.memory.Closing;
import java.io.IOException;
import java.nio.file.Path;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * The two threads of one directory of the disk tier. A mark or an epoch is waited for under the
 * lock of the store, and a directory whose mark may be wrong is not believed at the next start: so
 * it does not queue behind files that are made, cut and deleted, which a loaded disk does slowly,
 * and its thread is there before it is needed.
 *
 * <p>Ownership: {@link DiskDirectories} closes them.
 *
 * @param files makes, cuts, closes and deletes files, and asks how much room there is
 * @param marks writes commit marks and epochs, and looks for marks that nobody claims; it never
 *     waits for the other one, but for a file that is in use there
 */
record DiskThreads(DiskThread files, DiskThread marks) implements AutoCloseable {
  private static final long FILES_IDLE_MS = 10_000;

  /**
   * For one directory; none is started yet.
   *
   * @param hanging how many threads of the store hang
   */
  static DiskThreads of(Path directory, long timeoutMs, AtomicInteger hanging) {
    return new DiskThreads(
        new DiskThread("sluice-disk", directory, FILES_IDLE_MS, timeoutMs, hanging),
        new DiskThread("sluice-marks", directory, Long.MAX_VALUE, timeoutMs, hanging));
  }

  /** Starts that for marks, which stays: who had none when a mark is due would lose outputs. */
  void start() throws IOException {
    marks.runPatiently(() -> {});
  }

  /** Whether one of them does. */
  boolean hang() {
    return files.hangs() || marks.hangs();
  }

  long timeoutMs() {
    return files.timeoutMs();
  }

  /** Does it when both have done what was asked of them before, however late. */
  void afterAll(DiskThread.Action action) throws IOException {
    AtomicInteger busy = new AtomicInteger(2);
    DiskThread.Action last =
        () -> {
          if (busy.decrementAndGet() == 0) {
            action.run();
          }
        };
    Closing.all(() -> files.runSometime(last), () -> marks.runSometime(last));
  }

  @Override
  public void close() {
    files.close();
    marks.close();
  }
}
