package io.sluice.spill.store;

import static io.sluice.spill.store.StoreState.memoryBytesOf;

import io.sluice.rdma.memory.Closer;
import io.sluice.spill.segment.Extent;
import io.sluice.spill.segment.Owner;
import io.sluice.spill.store.MemorySource.MemoryUse;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicReference;

/**
 * Takes blocks for leases. Blocks of memory are taken under the lock of the store, of what the
 * {@link MemoryArbiter} has granted the lease before. The part that has no room in memory is
 * reserved on disk under the same lock. Its files are made under none.
 *
 * <p>Thread contract: {@link #take} and {@link #takeMemory} are called under no lock. Failure: the
 * lease has nothing of what was asked for, and the arbiter knows.
 */
final class LeaseGrants {
  private final StoreState state;
  private final ReleaseOperations releases;

  LeaseGrants(StoreState state, ReleaseOperations releases) {
    this.state = state;
    this.releases = releases;
  }

  /** A request of a task to its lease. */
  record Wanted(Lease lease, long bytes, boolean contiguous, boolean last) {
    Wanted atLast() {
      return new Wanted(lease, bytes, contiguous, true);
    }
  }

  /** Takes what it can of so much from memory, which the lease was granted, the rest on disk. */
  List<Extent> take(Wanted wanted, long memoryBytes, long memoryMs) throws IOException {
    List<Extent> taken = new ArrayList<>();
    AtomicReference<DiskSpace.Request> rest = new AtomicReference<>();
    try {
      releases.run(givenBack -> takeNow(wanted, memoryBytes, memoryMs, taken, rest, givenBack));
    } catch (IOException | RuntimeException | Error e) {
      if (rest.get() != null) {
        state.diskSpace.giveUp(rest.get());
      }
      giveBackAfter(e, wanted.lease(), taken);
      throw e;
    }
    if (rest.get() == null) {
      return taken;
    }
    try {
      List<Extent> all = new ArrayList<>(taken);
      all.addAll(state.diskSpace.make(rest.get()));
      return all;
    } catch (IOException | RuntimeException | Error e) {
      state.diskSpace.giveUp(rest.get());
      giveBackAfter(e, wanted.lease(), taken);
      throw e;
    }
  }

  /** Under the lock; {@code rest} is what is reserved on disk, whose files are to be made. */
  private void takeNow(
      Wanted wanted,
      long memoryBytes,
      long memoryMs,
      List<Extent> taken,
      AtomicReference<DiskSpace.Request> rest,
      DeferredRelease givenBack)
      throws IOException {
    Lease lease = wanted.lease();
    long unusedBytes = memoryBytes;
    try {
      state.checkUsable(lease);
      String lack = "";
      if (memoryBytes > 0) {
        reuseStale(lease.owner(), memoryBytes, wanted.contiguous(), givenBack);
        lack =
            state.memorySpace.await(
                lease.owner(),
                memoryBytes,
                wanted.contiguous(),
                wanted.last(),
                memoryMs,
                () -> state.checkUsable(lease));
      }
      taken.addAll(fromMemory(wanted, memoryBytes));
      unusedBytes -= memoryBytesOf(taken);
      taken.forEach(extent -> lease.held().add(extent.range()));
      long missingBytes = wanted.bytes() - memoryBytesOf(taken);
      if (missingBytes > 0) {
        rest.set(state.diskSpace.reserve(lease, missingBytes, rest(wanted, taken, lack)));
      }
      state.memorySpace.wake();
    } catch (IOException | RuntimeException | Error e) {
      giveBackAfter(e, lease, taken);
      throw e;
    } finally {
      gaveBack(lease, MemoryUse.WRITING, unusedBytes);
      if (lease.isClosed()) {
        state.arbiter.closed(lease);
      }
    }
  }

  /** Grants again what outputs have left and readers were told of, as far as it is wanted. */
  private void reuseStale(
      Owner owner, long lengthBytes, boolean contiguous, DeferredRelease givenBack)
      throws IOException {
    while (!state.staleExtents.isEmpty()
        && !state.allocator.memory().hasRoom(owner, lengthBytes, contiguous)) {
      state.free(state.staleExtents.takeOldest().orElseThrow().extents(), givenBack);
    }
  }

  /** Takes no part of what must be contiguous. */
  private List<Extent> fromMemory(Wanted wanted, long memoryBytes) throws IOException {
    long mostBytes =
        wanted.contiguous() && memoryBytes < wanted.bytes()
            ? 0
            : Math.min(wanted.bytes(), memoryBytes);
    return state
        .allocator
        .memory()
        .take(wanted.lease().owner(), mostBytes, wanted.contiguous(), wanted.last());
  }

  /** Takes over the part that has no room in memory. */
  private DiskSpace.Outcome rest(Wanted wanted, List<Extent> taken, String lack) {
    return new DiskSpace.Outcome() {
      @Override
      public void granted(List<Extent> extents) {
        extents.forEach(extent -> wanted.lease().held().add(extent.range()));
        state.allocator.overflowed();
      }

      @Override
      public String refused(long shortBytes) throws IOException {
        giveBack(wanted.lease(), taken); // first: the message tells what is free
        return state.allocator.full(wanted.bytes(), shortBytes, state.leased, lack);
      }
    };
  }

  private void giveBackAfter(Throwable failure, Lease lease, List<Extent> taken) {
    state.whileLocked(() -> Closer.after(failure, () -> giveBack(lease, taken)));
  }

  /**
   * Gives back what a lease was just granted of memory, if it still has it, and empties the list.
   */
  private void giveBack(Lease lease, List<Extent> taken) throws IOException {
    if (state.quiet) {
      return; // a successor finds what it has
    }
    taken.removeIf(extent -> !lease.held().contains(extent.range()));
    long memoryBytes = memoryBytesOf(taken);
    taken.forEach(extent -> lease.held().remove(extent.range()));
    try {
      state.allocator.memory().giveBack(taken);
    } finally {
      gaveBack(lease, MemoryUse.WRITING, memoryBytes);
      state.memorySpace.came();
      state.memorySpace.gaveBack();
    }
  }

  /** Tells the arbiter that a lease holds so much less of memory. */
  void gaveBack(Lease lease, MemoryUse use, long memoryBytes) {
    if (memoryBytes > 0) {
      state.arbiter.gaveBack(lease, use, memoryBytes);
    }
  }

  /** Takes one extent of memory for a lease that was granted it; empty if there is none now. */
  Optional<Extent> takeMemory(Lease lease, MemoryUse use, long wantedBytes) throws IOException {
    List<Extent> taken = new ArrayList<>();
    releases.run(
        givenBack -> {
          try {
            state.checkUsable(lease);
            reuseStale(lease.owner(), wantedBytes, true, givenBack);
            taken.addAll(state.allocator.memory().take(lease.owner(), wantedBytes, true));
            if (taken.isEmpty()) {
              state.memorySpace.lacked(lease.owner());
            }
            taken.forEach(extent -> lease.held(use).add(extent.range()));
            state.memorySpace.wake();
          } finally {
            gaveBack(lease, use, wantedBytes - memoryBytesOf(taken));
            if (lease.isClosed()) {
              state.arbiter.closed(lease);
            }
          }
        });
    return taken.stream().findFirst();
  }
}
