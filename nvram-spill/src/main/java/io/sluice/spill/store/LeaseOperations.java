package io.sluice.spill.store;

import static io.sluice.spill.store.StoreState.memoryBytesOf;

import io.sluice.rdma.memory.Closer;
import io.sluice.spill.disk.IoClass;
import io.sluice.spill.format.OutputId;
import io.sluice.spill.segment.Extent;
import io.sluice.spill.segment.Owner;
import io.sluice.spill.segment.Range;
import java.io.IOException;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;

/**
 * Does what a {@link Lease} is asked for, except for commits: decides how long it waits, for what,
 * and in which order it tries memory, room on disk and the room of copies. {@link LeaseGrants}
 * takes the blocks.
 *
 * <p>Thread contract: called under no lock, from any thread. Failure: {@link StoreFullException}
 * with nothing granted; {@link IOException} when the lease or the store is closed.
 */
final class LeaseOperations {
  private final StoreState state;
  private final ReleaseOperations releases;
  private final Quarantine quarantine;
  private final CopyEviction eviction;
  private final CommitOperations commits;
  private final LeaseGrants grants;

  LeaseOperations(
      StoreState state,
      ReleaseOperations releases,
      Quarantine quarantine,
      CopyEviction eviction,
      CommitOperations commits) {
    this.state = state;
    this.releases = releases;
    this.quarantine = quarantine;
    this.eviction = eviction;
    this.commits = commits;
    this.grants = new LeaseGrants(state, releases);
  }

  /** As {@link SpillStore#openLease}. */
  Lease open(String applicationId, Owner owner, IoClass ioClass) throws IOException {
    OutputId.check("application id", applicationId);
    if (!state.config.shared() && !owner.equals(state.files.owner())) {
      throw new IllegalArgumentException(
          state.config.directory()
              + " serves user id "
              + state.files.owner()
              + " alone, not "
              + owner);
    }
    quarantine.review();
    state.lock.lock();
    try {
      state.checkOpen();
      long generation = state.files.generations().next();
      LeaseInfo info = new LeaseInfo(state.files.poolId(), state.config.blockBytes(), generation);
      Lease lease = new Lease(this, commits, applicationId, owner, ioClass, info, state.leased);
      state.leases.add(lease);
      return lease;
    } finally {
      state.lock.unlock();
    }
  }

  /** As {@link SpillStore#checkTakesOutputs}. */
  void checkTakesOutputs(Owner owner) throws HeapShareException {
    state.lock.lock();
    try {
      state.allocator.heap().checkTask(owner, () -> state.leased.isServingOthers(owner));
    } catch (HeapShareException e) {
      state.allocator.heap().refused(owner);
      throw e;
    } finally {
      state.lock.unlock();
    }
  }

  /** As {@link Lease#checkCanEverFit}: nobody need give back for what can never be granted. */
  void checkCanEverFit(Lease lease, long lengthBytes) throws IOException {
    if (!couldFit(lease, lengthBytes)) {
      state.diskSpace.settle(new LeaseDeadline(state).settleMs());
      requireFit(lease, lengthBytes);
    }
  }

  private boolean couldFit(Lease lease, long lengthBytes) throws IOException {
    state.lock.lock();
    try {
      state.checkUsable(lease);
      return state.allocator.lackingBytes(lengthBytes, state.leased) <= 0;
    } finally {
      state.lock.unlock();
    }
  }

  private void requireFit(Lease lease, long lengthBytes) throws IOException {
    state.lock.lock();
    try {
      state.checkUsable(lease);
      state.allocator.checkCanEverFit(lengthBytes, state.leased);
    } finally {
      state.lock.unlock();
    }
  }

  /** Grants blocks of memory, and of the disk tier where memory has no room. */
  List<Extent> lease(Lease lease, long lengthBytes, boolean contiguous) throws IOException {
    LeaseDeadline deadline = new LeaseDeadline(state);
    long wantedBytes = state.allocator.roundUp(lengthBytes);
    if (lacksRoom(lease.owner(), wantedBytes, contiguous)) {
      quarantine.review();
    }
    if (contiguous && wantedBytes > Extent.MAX_LENGTH_BYTES) {
      throw new IllegalArgumentException(
          "cannot lease "
              + wantedBytes
              + " bytes in one piece, at most "
              + Extent.MAX_LENGTH_BYTES);
    }
    checkCanEverFit(lease, wantedBytes); // first: a lease that is over asks for nothing
    boolean fits = !contiguous || wantedBytes <= state.config.segmentBytes(); // as below
    boolean last = !hasDisk();
    LeaseGrants.Wanted wanted = new LeaseGrants.Wanted(lease, wantedBytes, contiguous, last);
    boolean settled = false;
    while (true) {
      long memoryBytes =
          fits
              ? state.arbiter.ask(lease, wantedBytes, contiguous, last, deadline.memoryMs(last))
              : 0;
      try {
        return grants.take(wanted, memoryBytes, deadline.memoryMs(last));
      } catch (StoreFullException e) {
        if (!settled && hasDisk()) {
          settled = true;
          state.diskSpace.settle(deadline.settleMs());
          continue; // there may be more room now
        }
        settled = false;
        if (eviction.makesRoom(e, wantedBytes, deadline.settleMs())) {
          continue; // there is more room on disk now
        }
        if (last || memoryBytes == wantedBytes && !isLimited(lease.owner())) {
          throw refused(lease, e);
        }
        last = true;
        wanted = wanted.atLast();
      }
    }
  }

  private boolean lacksRoom(Owner owner, long lengthBytes, boolean contiguous) {
    state.lock.lock();
    try {
      return !quarantine.isEmpty()
          && !state.allocator.memory().hasRoom(owner, lengthBytes, contiguous);
    } finally {
      state.lock.unlock();
    }
  }

  private boolean hasDisk() {
    return !state.config.diskDirectories().isEmpty();
  }

  /** Whether memory is kept from that owner, which it may have at last. */
  private boolean isLimited(Owner owner) {
    state.lock.lock();
    try {
      return !state.allocator.memory().mayHaveMore(owner, false);
    } finally {
      state.lock.unlock();
    }
  }

  private StoreFullException refused(Lease lease, StoreFullException e) {
    state.lock.lock();
    try {
      state.allocator.refused();
      state.shareRefused(lease, e);
      return e;
    } finally {
      state.lock.unlock();
    }
  }

  /**
   * Grants one extent of memory, or nothing. It waits for no room: blocks that come later, with a
   * further segment or another owner's, are no use here.
   */
  Optional<Extent> leaseMemory(Lease lease, MemoryUse use, long lengthBytes) throws IOException {
    long wantedBytes = state.allocator.roundUp(lengthBytes);
    checkUsableNow(lease);
    boolean fits = wantedBytes <= state.config.segmentBytes(); // else nobody need give back for it
    if (!fits || !state.arbiter.askNow(lease, use, wantedBytes)) {
      return Optional.empty();
    }
    return grants.takeMemory(lease, use, wantedBytes);
  }

  private void checkUsableNow(Lease lease) throws IOException {
    state.lock.lock();
    try {
      state.checkUsable(lease);
    } finally {
      state.lock.unlock();
    }
  }

  /** Grants blocks of the disk tier alone; copies are given up for them. */
  List<Extent> leaseDisk(Lease lease, long lengthBytes) throws IOException {
    long wantedBytes = state.allocator.roundUp(lengthBytes);
    try {
      LeaseGrants.Wanted wanted = new LeaseGrants.Wanted(lease, wantedBytes, false, false);
      return eviction.leaseOnDisk(wantedBytes, () -> grants.take(wanted, 0, 0));
    } catch (DiskShareException | HeapShareException e) {
      state.shareRefused(lease, e);
      throw e;
    }
  }

  /** As {@link Lease#beginWrite}. */
  DiskWrite beginWrite(Lease lease, Range range) throws IOException {
    DiskSegment segment = writable(lease, range);
    return new DiskWrite(
        segment.beginWrite(lease.ioClass(), range.offsetBytes(), (int) range.lengthBytes()),
        failure -> state.failed(segment, failure));
  }

  /** Returns when what was written to the file of that range has reached the medium. */
  void force(Lease lease, Range place) throws IOException {
    int segmentId = writable(lease, place).info().segmentId();
    state.atDisk(segmentId, segment -> segment.force(lease.ioClass()));
  }

  /** The file of the disk tier in which a range lies that a lease may write. */
  private DiskSegment writable(Lease lease, Range range) throws IOException {
    Range blocks = state.allocator.wholeBlocks(range);
    state.lock.lock();
    try {
      state.checkUsable(lease);
      DiskSegment segment = state.allocator.disk().segment(range.segmentId());
      boolean leased =
          segment != null
              && segment.owner().equals(lease.owner())
              && state.holder(lease, blocks).contains(blocks);
      if (!leased) {
        throw new IllegalArgumentException(
            range + " cannot be written, it is not leased on the disk tier here");
      }
      return segment;
    } finally {
      state.lock.unlock();
    }
  }

  /** Takes back extents that a task does not need after all. */
  void release(Lease lease, List<Extent> extents) throws IOException {
    releases.run(
        givenBack -> {
          state.checkOpen();
          for (Extent extent : extents) {
            Range range = extent.range();
            Optional<MemoryUse> use = useOf(lease, range);
            if (use.isPresent()) {
              lease.held(use.get()).remove(range);
              grants.gaveBack(lease, use.get(), memoryBytesOf(List.of(extent)));
              state.allocator.free(range, givenBack);
            } else if (!state.allocator.quarantined().contains(range)) {
              throw new IllegalArgumentException(
                  range + " cannot be released, it is not leased here");
            }
          }
        });
  }

  private static Optional<MemoryUse> useOf(Lease lease, Range range) {
    return Arrays.stream(MemoryUse.values())
        .filter(use -> lease.held(use).contains(range))
        .findFirst();
  }

  /** Takes back everything that a lease holds; idempotent. */
  void close(Lease lease) throws IOException {
    Closer closer = new Closer();
    releases.run(closer, givenBack -> releases.end(lease, givenBack, closer));
    closer.finish(DeferredRelease.NOT_ALL);
  }
}
