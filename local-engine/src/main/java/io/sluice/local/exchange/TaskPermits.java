package io.sluice.local.exchange;

import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import org.apache.hadoop.util.Progressable;

/**
 * How many tasks of a job may do something at a time: map, sort what they have mapped, or reduce
 * (Hone, section 4.2).
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

  /** So many of each. */
  public TaskPermits(int maps, int sorts, int reduces) {
    this.mapCount = maps;
    this.sortCount = sorts;
    this.reduceCount = reduces;
    this.maps = new Semaphore(maps, true);
    this.sorts = new Semaphore(sorts, true);
    this.reduces = new Semaphore(reduces, true);
  }

  /** How many may map. */
  int maps() {
    return mapCount;
  }

  /** How many may sort what they have mapped. */
  int sorts() {
    return sortCount;
  }

  /** How many may reduce. */
  int reduces() {
    return reduceCount;
  }

  /** One for a map, when there is one. */
  public Slot map() throws InterruptedException {
    return new Slot(maps);
  }

  /** One for a reduce, when there is one. */
  public Slot reduce() throws InterruptedException {
    return new Slot(reduces);
  }

  /**
   * What one task may do now.
   *
   * <p>Thread contract: the task's thread goes on to sort; whoever took it gives it back, perhaps
   * while the task still runs.
   */
  public final class Slot implements AutoCloseable {
    private Semaphore held; // null: given back

    private Slot(Semaphore of) throws InterruptedException {
      of.acquire();
      held = of;
    }

    /**
     * From now on it sorts. It keeps its place among the maps until it may: it holds memory. Hadoop
     * ends a map whose sort has failed by having it sort again.
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
          sorts.release(); // it was given up meanwhile, and sorts for nobody
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
