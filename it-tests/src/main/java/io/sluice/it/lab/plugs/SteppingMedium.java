package io.sluice.it.lab.plugs;

import io.sluice.rdma.memory.Mapping;
import io.sluice.spill.medium.Medium;
import io.sluice.spill.segment.SegmentFile;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Optional;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

/**
 * A medium that tells what is done with it; it does nothing else than the medium below it.
 *
 * <p>Thread contract: as that medium and the observer.
 */
final class SteppingMedium implements Medium {
  /** Is called in the thread that uses the medium. */
  interface Observer {
    /** Before a range is mapped. */
    default void mapping() {}

    /** After stores into a range, before they are made safe. */
    default void persisting(Mapping mapping, int offsetBytes, int lengthBytes) {}

    /** After a range was made safe. */
    void persisted(Mapping mapping, int offsetBytes, int lengthBytes);
  }

  private final Medium medium;
  private final Observer observer;

  SteppingMedium(Medium medium, Observer observer) {
    if (!medium.isStoredDirectly()) {
      throw new IllegalArgumentException(
          medium.name() + " persists while it writes, so its steps are not those of a commit");
    }
    this.medium = medium;
    this.observer = observer;
  }

  @Override
  public String name() {
    return medium.name();
  }

  @Override
  public boolean isPersistent() {
    return medium.isPersistent();
  }

  @Override
  public boolean isStoredDirectly() {
    return true;
  }

  @Override
  public Optional<String> unavailabilityCause(Path directory) {
    return medium.unavailabilityCause(directory);
  }

  @Override
  public Mapping map(SegmentFile file, long offsetBytes, int lengthBytes) throws IOException {
    observer.mapping();
    return medium.map(file, offsetBytes, lengthBytes);
  }

  @Override
  public void persist(Mapping mapping, int offsetBytes, int lengthBytes) {
    observer.persisting(mapping, offsetBytes, lengthBytes);
    medium.persist(mapping, offsetBytes, lengthBytes);
    observer.persisted(mapping, offsetBytes, lengthBytes);
  }

  /**
   * Knows the steps of a {@link io.sluice.spill.store.SpillStore}: it persists nothing but marks,
   * and maps former segments in the thread that opens it, new ones in that of its filler.
   *
   * <p>Thread contract: created by the thread that opens the store, then used by any.
   */
  static final class StoreSteps implements Observer {
    private static final long LEASE_TIMEOUT_S = 60;

    private final Step.Listener listener;
    private final CountDownLatch leased = new CountDownLatch(1);
    private final Thread opener = Thread.currentThread();

    StoreSteps(Step.Listener listener) {
      this.listener = listener;
    }

    /** A lease was opened. */
    void leaseOpened() {
      leased.countDown();
    }

    /**
     * Holds the filler until the first lease was opened, which syncs the journal of the file
     * system: all segments but one are then created after that, as those of a large pool are, and
     * nothing but the medium makes them safe.
     */
    @Override
    public void mapping() {
      if (Thread.currentThread() == opener) {
        listener.reached(Step.RECOVERING);
        return;
      }
      listener.reached(Step.SEGMENT_CREATED);
      try {
        if (!leased.await(LEASE_TIMEOUT_S, TimeUnit.SECONDS)) {
          throw new IllegalStateException("no lease was opened in " + LEASE_TIMEOUT_S + " s");
        }
      } catch (InterruptedException e) {
        throw new IllegalStateException("interrupted before a lease was opened", e);
      }
    }

    @Override
    public void persisting(Mapping mapping, int offsetBytes, int lengthBytes) {
      if (mapping.buffer().getLong(offsetBytes) != 0) {
        listener.reached(Step.MARK_STORED);
      }
    }

    @Override
    public void persisted(Mapping mapping, int offsetBytes, int lengthBytes) {
      boolean cleared = mapping.buffer().getLong(offsetBytes) == 0;
      listener.reached(cleared ? Step.MARK_CLEARED : Step.MARK_PERSISTED);
    }
  }
}
