package io.sluice.local.exchange;

import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import org.apache.hadoop.util.Progressable;

/**
 * Limits the number of a job's tasks that map, sort or reduce at a time (Hone, section 4.2).
 *
 * <p>Thread contract: safe from any thread.
 */
public final class TaskPermits {
  private static final long PROGRESS_MS = 200;

  private final int mapCount;
  private final int sortCount;
  private final int reduceCount;
  private final Semaphore maps;
  private final Semaphore sorts;
  private final Semaphore reduces;

  /** Allows these numbers at a time. */
  public TaskPermits(int maps, int sorts, int reduces) {
    this.mapCount = maps;
    this.sortCount = sorts;
    this.reduceCount = reduces;
    this.maps = new Semaphore(maps, true);
    this.sorts = new Semaphore(sorts, true);
    this.reduces = new Semaphore(reduces, true);
  }

  /** The most maps at a time. */
  int maps() {
    return mapCount;
  }

  /** The most maps that sort at a time. */
  int sorts() {
    return sortCount;
  }

  /** The most reduces at a time. */
  int reduces() {
    return reduceCount;
  }

  /** Waits for a permit to map. */
  public Slot map() throws InterruptedException {
    return new Slot(maps);
  }

  /** Waits for a permit to reduce. */
  public Slot reduce() throws InterruptedException {
    return new Slot(reduces);
  }

  /**
   * The permit of one task.
   *
   * <p>Thread contract: the task's thread calls {@link #toSort}; the thread that took the permit
   * returns it, perhaps while the task still runs.
   */
  public final class Slot implements AutoCloseable {
    private Semaphore held; // null after close

    private Slot(Semaphore of) throws InterruptedException {
      of.acquire();
      held = of;
    }

    /**
     * Waits for a permit to sort, and keeps the map permit meanwhile, because the map holds memory.
     * Hadoop calls a failed sort again, so a second call does nothing.
     */
    void toSort(Progressable progress) throws InterruptedException {
      synchronized (this) {
        if (held == sorts) {
          return;
        }
      }
      while (!sorts.tryAcquire(PROGRESS_MS, TimeUnit.MILLISECONDS)) {
        progress.progress();
      }
      synchronized (this) {
        if (held == null) {
          sorts.release(); // the attempt was abandoned meanwhile
          return;
        }
        held.release();
        held = sorts;
      }
    }

    @Override
    public synchronized void close() {
      if (held != null) {
        held.release();
        held = null;
      }
    }
  }
}
