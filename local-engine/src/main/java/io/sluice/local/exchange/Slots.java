package io.sluice.local.exchange;

import java.util.concurrent.Semaphore;

/**
 * How many tasks of a job may do something at a time: map, sort what they have mapped, or reduce
 * (Hone, section 4.2).
 *
 * <p>Thread contract: safe from any thread.
 */
public final class Slots {
  private final Semaphore maps;
  private final Semaphore sorts;
  private final Semaphore reduces;

  /** So many of each. */
  public Slots(int maps, int sorts, int reduces) {
    this.maps = new Semaphore(maps, true);
    this.sorts = new Semaphore(sorts, true);
    this.reduces = new Semaphore(reduces, true);
  }

  /** One for a map, when there is one. */
  public Slot map() throws InterruptedException {
    return new Slot(maps);
  }

  /** One for a reduce, when there is one. */
  public Slot reduce() throws InterruptedException {
    return new Slot(reduces);
  }

  /** What one task may do now; given back by whoever took it. Thread contract: one thread. */
  public final class Slot implements AutoCloseable {
    private Semaphore held;

    private Slot(Semaphore of) throws InterruptedException {
      of.acquire();
      held = of;
    }

    /**
     * From now on it sorts. It keeps its place among the maps until it may: it holds memory. Hadoop
     * ends a map whose sort has failed by having it sort again.
     */
    void toSort() throws InterruptedException {
      if (held == sorts) {
        return;
      }
      sorts.acquire();
      held.release();
      held = sorts;
    }

    @Override
    public void close() {
      held.release();
    }
  }
}
