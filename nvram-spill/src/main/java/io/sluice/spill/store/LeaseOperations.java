package io.sluice.spill.store;

import static io.sluice.spill.store.StoreState.memoryBytesOf;

import io.sluice.rdma.memory.Closer;
import io.sluice.spill.disk.IoClass;
import io.sluice.spill.format.OutputId;
import io.sluice.spill.segment.Extent;
import io.sluice.spill.segment.Owner;
import io.sluice.spill.segment.Range;
import io.sluice.spill.store.ExtentSource.LeaseInfo;
import io.sluice.spill.store.Lease.DiskWrite;
import io.sluice.spill.store.MemorySource.MemoryUse;
import io.sluice.spill.store.StoreFullException.DiskShareException;
import io.sluice.spill.store.StoreFullException.HeapShareException;
import java.io.IOException;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;

/**
 * Serves a {@link Lease}, except for commits. It decides how long a request waits, and in which
 * order it tries memory, room on disk and the room of copies. {@link LeaseGrants} takes the blocks.
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
          "%s serves user id %s alone, not %s"
              .formatted(state.config.directory(), state.files.owner(), owner));
    }
    quarantine.review();
    return state.locked(
        () -> {
          state.checkOpen();
          long generation = state.files.generations().next();
          LeaseInfo info =
              new LeaseInfo(state.files.poolId(), state.config.blockBytes(), generation);
          Lease lease = new Lease(this, commits, applicationId, owner, ioClass, info, state.leased);
          state.leases.add(lease);
          return lease;
        });
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
    boolean couldFit =
        state.locked(
            () -> {
              state.checkUsable(lease);
              return state.allocator.lackingBytes(lengthBytes, state.leased) <= 0;
            });
    if (!couldFit) {
      state.diskSpace.settle(new Deadline(state).settleMs());
      state.whileLocked(
          () -> {
            state.checkUsable(lease);
            state.allocator.checkCanEverFit(lengthBytes, state.leased);
          });
    }
  }

  /** Grants blocks of memory, and of the disk tier where memory has no room. */
  List<Extent> lease(Lease lease, long lengthBytes, boolean contiguous) throws IOException {
    Deadline deadline = new Deadline(state);
    long wantedBytes = state.allocator.roundUp(lengthBytes);
    if (lacksRoom(lease.owner(), wantedBytes, contiguous)) {
      quarantine.review();
    }
    if (contiguous && wantedBytes > Extent.MAX_LENGTH_BYTES) {
      throw new IllegalArgumentException(
          "cannot lease %s bytes in one piece, at most %s"
              .formatted(wantedBytes, Extent.MAX_LENGTH_BYTES));
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
    return state.locked(
        () ->
            !quarantine.isEmpty()
                && !state.allocator.memory().hasRoom(owner, lengthBytes, contiguous));
  }

  private boolean hasDisk() {
    return !state.config.diskDirectories().isEmpty();
  }

  /** Whether memory is kept from that owner, which it may have at last. */
  private boolean isLimited(Owner owner) {
    return state.locked(() -> state.allocator.memory().mayHave(owner, false) == 0);
  }

  private StoreFullException refused(Lease lease, StoreFullException e) {
    return state.locked(
        () -> {
          state.allocator.refused();
          state.shareRefused(lease, e);
          return e;
        });
  }

  /**
   * Grants one extent of memory, or nothing. It waits for no room: blocks that come later, with a
   * further segment or another owner's, are no use here.
   */
  Optional<Extent> leaseMemory(Lease lease, MemoryUse use, long lengthBytes) throws IOException {
    long wantedBytes = state.allocator.roundUp(lengthBytes);
    state.whileLocked(() -> state.checkUsable(lease));
    boolean fits = wantedBytes <= state.config.segmentBytes(); // else nobody need give back for it
    if (!fits || !state.arbiter.askNow(lease, use, wantedBytes)) {
      return Optional.empty();
    }
    return grants.takeMemory(lease, use, wantedBytes);
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
  void force(Lease lease, Range range) throws IOException {
    int segmentId = writable(lease, range).info().segmentId();
    state.atDisk(segmentId, segment -> segment.force(lease.ioClass()));
  }

  /** The file of the disk tier in which a range lies that a lease may write. */
  private DiskSegment writable(Lease lease, Range range) throws IOException {
    Range blocks = state.allocator.wholeBlocks(range);
    return state.locked(
        () -> {
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
        });
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

  /**
   * Until when one lease may wait, and how that time is divided between memory and disks. All the
   * waits of a lease end together, before its task gives up waiting for the service.
   *
   * <p>Thread contract: immutable.
   */
  static final class Deadline {
    /**
     * All that one lease waits: less than its task waits for the service, with some seconds left
     * for a second directory.
     */
    static final long TIMEOUT_MS = 26_000;

    /** The part of a disk's deadline that a lease waits for what others have asked of disks. */
    private static final int SETTLE_PART = 4;

    private final LongSupplier nanoTime;
    private final long diskTimeoutMs;
    private final long endNs;

    /** Begins now. */
    Deadline(StoreState state) {
      this.nanoTime = state.nanoTime;
      this.diskTimeoutMs = state.config.diskTimeoutMs();
      this.endNs = nanoTime.getAsLong() + TimeUnit.MILLISECONDS.toNanos(TIMEOUT_MS);
    }

    private long leftMs() {
      return Math.max(0, TimeUnit.NANOSECONDS.toMillis(endNs - nanoTime.getAsLong()));
    }

    /** How long the lease may wait for what others have asked of disks; most is left for memory. */
    long settleMs() {
      return Math.min(diskTimeoutMs / SETTLE_PART, leftMs());
    }

    /**
     * How long the lease may wait for memory.
     *
     * @param last whether no disk is asked afterwards, which would have its own time for an answer
     */
    long memoryMs(boolean last) {
      long leftMs = leftMs();
      return last ? leftMs : Math.max(0, leftMs - diskTimeoutMs);
    }
  }
}
