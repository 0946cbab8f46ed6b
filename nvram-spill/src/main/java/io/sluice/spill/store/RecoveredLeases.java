package io.sluice.spill.store;

import io.sluice.spill.segment.Range;
import io.sluice.spill.store.ExtentSource.LeaseInfo;
import java.io.IOException;
import java.util.List;
import java.util.UUID;

/**
 * Knows which tasks that held leases of a former store can still write to their blocks: a
 * recovering store keeps these in quarantine until they cannot.
 *
 * <p>Thread contract: safe from any thread, never called under the lock of the store. Failure: what
 * cannot be found out is not known, or counts as living.
 */
public interface RecoveredLeases {
  /** Knows of none. */
  RecoveredLeases NONE =
      new RecoveredLeases() {
        @Override
        public Review review(UUID poolId) {
          return new Review(List.of(), List.of(), List.of());
        }

        @Override
        public void settled(Review review) {}

        @Override
        public Own own(LeaseInfo lease, List<Range> granted) {
          return forGood -> {};
        }
      };

  /** The record of a lease that the store itself writes to. */
  interface Own {
    /**
     * Forgets it; called once.
     *
     * @param forGood whether nothing of it is left; else a successor needs to know of it
     */
    void close(boolean forGood) throws IOException;
  }

  /**
   * The extents of former leases. A block may be in several, because it was given back.
   *
   * @param living by tasks that live, stopped ones too, which must be nobody else's
   * @param unsaid by tasks that may live or not
   * @param gone by tasks that are gone for good
   */
  record Review(List<Range> living, List<Range> unsaid, List<Range> gone) {
    public Review {
      living = List.copyOf(living);
      unsaid = List.copyOf(unsaid);
      gone = List.copyOf(gone);
    }
  }

  /** How it is now; leases of another pool are forgotten. */
  Review review(UUID poolId);

  /** The extents of tasks that are {@link Review#gone} can be granted again. */
  void settled(Review review);

  /** The store writes there by itself: a successor knows that nobody does any more. */
  Own own(LeaseInfo lease, List<Range> granted) throws IOException;
}
