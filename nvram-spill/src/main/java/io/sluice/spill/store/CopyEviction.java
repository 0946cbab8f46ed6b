package io.sluice.spill.store;

import io.sluice.rdma.memory.Closer;
import io.sluice.spill.segment.Tier;
import io.sluice.spill.store.StoreFullException.DiskShareException;
import io.sluice.spill.store.StoreFullException.HeapShareException;
import java.io.IOException;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;

/**
 * Gives up copies of outputs where a lease lacks room on the disk tier: a copy has its room for as
 * long as nobody else lacks it.
 *
 * <p>Thread contract: called under no lock. Failure: {@link IOException} of the file systems.
 */
final class CopyEviction {
  private final StoreState state;
  private final ReleaseOperations releases;

  CopyEviction(StoreState state, ReleaseOperations releases) {
    this.state = state;
    this.releases = releases;
  }

  /**
   * Leases room of the disk tier alone, and gives up copies as long as there is none.
   *
   * @param leasing takes the room, under no lock
   */
  <T> T leaseOnDisk(long wantedBytes, StoreState.Work<T, IOException> leasing) throws IOException {
    LeaseOperations.Deadline deadline = new LeaseOperations.Deadline(state);
    boolean settled = false;
    while (true) {
      try {
        return leasing.run();
      } catch (StoreFullException e) {
        if (!settled) {
          settled = true;
          state.diskSpace.settle(deadline.settleMs());
          continue;
        }
        settled = false;
        if (!makesRoom(e, wantedBytes, deadline.settleMs())) {
          throw e;
        }
      }
    }
  }

  /** Whether copies have been given up; they stay if that would not help. */
  boolean makesRoom(StoreFullException full, long bytes, long waitMs) throws IOException {
    return !(full instanceof DiskShareException)
        && !(full instanceof HeapShareException)
        && evict(bytes, waitMs);
  }

  /**
   * Gives up copies for so much room, first the one that is being written, then the oldest. A copy
   * in a directory that is left out now stays: nobody would be granted its room.
   *
   * @param waitMs how long to wait for the files of one that are being made
   * @return whether any was given up
   */
  boolean evict(long bytes, long waitMs) throws IOException {
    AtomicLong droppedBytes = new AtomicLong();
    AtomicReference<Lease> ended = new AtomicReference<>();
    Closer closer = new Closer();
    releases.run(
        closer,
        givenBack -> {
          Lease copying = state.copying;
          if (state.leased.copyingBytes() > 0 && !copying.isClosed() && mayWork(copying)) {
            droppedBytes.addAndGet(state.leased.copyingBytes());
            state.droppedCopies++;
            ended.set(copying);
            releases.end(copying, givenBack, closer);
            state.diskSpace.takeBack(copying);
          }
          while (droppedBytes.get() < bytes) {
            Optional<OutputCopies.Copy> oldest = state.copies.takeOldest(this::mayWork);
            if (oldest.isEmpty()) {
              break;
            }
            droppedBytes.addAndGet(oldest.get().ownBytes());
            state.droppedCopies++;
            closer.run(() -> releases.giveUpCopy(oldest.get(), givenBack));
          }
          if (droppedBytes.get() > 0) {
            state.copier.pause(); // else it takes the room again
          }
        });
    if (ended.get() != null) {
      state.diskSpace.awaitEnd(ended.get(), waitMs);
    }
    closer.finish(DeferredRelease.NOT_ALL);
    return droppedBytes.get() > 0;
  }

  private boolean mayWork(OutputCopies.Copy copy) {
    return copy.own().stream().allMatch(extent -> state.allocator.disk().mayWork(extent.range()));
  }

  private boolean mayWork(Lease lease) {
    return lease.held().ranges(Tier.DISK).stream().allMatch(state.allocator.disk()::mayWork);
  }
}
