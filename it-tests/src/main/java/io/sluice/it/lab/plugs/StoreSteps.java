package io.sluice.it.lab.plugs;

import io.sluice.rdma.memory.Mapping;

/**
 * Knows the steps of a {@link io.sluice.spill.store.SpillStore}: it persists nothing but marks, and
 * maps former segments in the thread that opens it, new ones in that of its filler.
 *
 * <p>Thread contract: created by the thread that opens the store, then used by any.
 */
final class StoreSteps implements SteppingMedium.Observer {
  private final Step.Listener listener;
  private final Thread opener = Thread.currentThread();

  StoreSteps(Step.Listener listener) {
    this.listener = listener;
  }

  @Override
  public void mapping() {
    listener.reached(Thread.currentThread() == opener ? Step.RECOVERING : Step.SEGMENT_CREATED);
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
