package io.sluice.spill.store;

import io.sluice.rdma.memory.Closer;
import io.sluice.spill.format.FooterReader;
import io.sluice.spill.format.OutputId;
import io.sluice.spill.segment.Extent;
import io.sluice.spill.segment.Range;
import io.sluice.spill.segment.Tier;
import io.sluice.spill.store.OutputDirectory.StaleExtents;
import io.sluice.spill.store.StoreFullException.DiskShareException;
import io.sluice.spill.store.StoreFullException.HeapShareException;
import io.sluice.spill.store.StoreStats.CopyStats;
import java.io.IOException;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.LongSupplier;

/**
 * The state of one {@link SpillStore}: its lock, and what the lock guards. Each class of the store
 * that does something with it does one thing: {@link LeaseOperations}, {@link CommitOperations},
 * {@link RelocationOperations}, {@link FreeOperations} and {@link RecoveryOperations}. This class
 * decides nothing; it answers the questions that several of them ask.
 *
 * <p>Thread contract: everything that is not final is guarded by {@link #lock}, and so are the
 * objects whose own contract says so. A method says if it takes the lock; all others are called
 * under it. The lock of the {@link MemoryArbiter} is taken under this one, never the other way
 * round. Ownership: {@link SpillStore} closes what is in it. Failure: {@link IOException} when the
 * store is closed.
 */
final class StoreState {
  final StoreConfig config;
  final PoolFiles files;
  final LongSupplier nanoTime;
  final MemoryArbiter arbiter;
  final ReentrantLock lock = new ReentrantLock();

  final Allocator allocator;
  final OutputDirectory outputs;
  final StaleExtents staleExtents = new StaleExtents();
  final OutputCopies copies;
  final SegmentHold.Holders holders = new SegmentHold.Holders();
  final Set<Lease> leases = new HashSet<>();
  final LeasedTotals leased;
  final DiskSpace diskSpace;

  final AnnouncedSegments announced;
  final OutputLoader loader;
  final CopyThread copier;

  /** Every output of a former store has a generation below this. */
  final long recoveredGenerationBound;

  /** Set once, before any other thread knows the store. */
  MemorySpace memorySpace;

  /** Of the copy that is being written; null: there is none, or none that may still be given up. */
  Lease copying;

  /** How many copies were given up because a lease lacked room on disk. */
  long droppedCopies;

  /** How many outputs the recovery found in segments of another owner than their application's. */
  long forgedOutputs;

  /** The store was told to stop: it grants, frees and publishes nothing more. */
  boolean quiet;

  /**
   * The state of a store without segments and outputs.
   *
   * @param copying copies an output to the disk tier, on the thread for copies
   */
  StoreState(StoreConfig config, PoolFiles files, LongSupplier nanoTime, CopyThread.Work copying) {
    this.config = config;
    this.files = files;
    this.nanoTime = nanoTime;
    this.arbiter = config.memoryKeeper();
    this.allocator = new Allocator(config, files, nanoTime);
    this.outputs = new OutputDirectory(allocator.heap());
    this.copies = new OutputCopies(outputs);
    this.leased = new LeasedTotals(this);
    this.diskSpace = new DiskSpace(this);
    this.announced = new AnnouncedSegments(config.segmentListener(), this::failed, nanoTime);
    this.loader =
        new OutputLoader(
            new FooterReader(files.poolId(), config.blockBytes()),
            config.blockBytes(),
            this::lookUp);
    this.copier = new CopyThread(copying, CopyThread.PAUSE_MS);
    this.recoveredGenerationBound = files.generations().bound();
  }

  /** Work with a result; its user says whether it runs under the lock. */
  interface Work<T, E extends Exception> {
    T run() throws E;
  }

  /** The same without a result. */
  interface Step<E extends Exception> {
    void run() throws E;
  }

  /** Does it under the lock, and returns its result. */
  <T, E extends Exception> T locked(Work<T, E> work) throws E {
    lock.lock();
    try {
      return work.run();
    } finally {
      lock.unlock();
    }
  }

  /** Does it under the lock. */
  <E extends Exception> void whileLocked(Step<E> step) throws E {
    lock.lock();
    try {
      step.run();
    } finally {
      lock.unlock();
    }
  }

  void checkOpen() throws IOException {
    if (quiet) {
      throw new IOException("the spill store " + config.directory() + " is closed");
    }
  }

  void checkUsable(Lease lease) throws IOException {
    checkOpen();
    lease.checkUsable();
  }

  /** Takes the lock. */
  boolean isQuiet() {
    return locked(() -> quiet);
  }

  /** The committed output of that name; takes the lock. */
  Optional<CommittedOutput> find(OutputId id) {
    return locked(() -> Optional.ofNullable(outputs.find(id)));
  }

  /** The segment with that id, null if there is none; takes the lock. */
  SegmentHandle lookUp(int segmentId) {
    return locked(() -> allocator.segment(segmentId));
  }

  /** The segment of an extent, null if it is gone; takes the lock. */
  SegmentHandle segmentOf(Extent extent) {
    return lookUp(extent.segment().segmentId());
  }

  List<SegmentHandle> allSegments() {
    List<SegmentHandle> all = new ArrayList<>(allocator.memory().segments());
    all.addAll(allocator.disk().segments());
    return all;
  }

  /** The blocks that a range of an output is taken from: the lease's, or those in quarantine. */
  BlockSet holder(Lease lease, Range range) {
    return lease.held().contains(range) ? lease.held() : allocator.quarantined();
  }

  static long memoryBytesOf(List<Extent> extents) {
    return extents.stream()
        .filter(extent -> extent.segment().tier() == Tier.MEMORY)
        .mapToLong(Extent::lengthBytes)
        .sum();
  }

  /** Gives back the blocks of all of these, whatever fails for one. */
  void free(List<Extent> extents, DeferredRelease givenBack) throws IOException {
    Closer closer = new Closer();
    for (Extent extent : extents) {
      closer.run(() -> allocator.free(extent.range(), givenBack));
    }
    closer.finish(DeferredRelease.NOT_ALL);
  }

  /** Has an output copied to disk, if the configuration asks for copies; the lock is not needed. */
  void copyLater(CommittedOutput output) {
    if (config.copiesOutputs()) {
      copier.add(output);
    }
  }

  /** Counts a lease or commit that was refused because its owner has its share; takes the lock. */
  void shareRefused(Lease lease, StoreFullException e) {
    whileLocked(
        () -> {
          if (e instanceof DiskShareException) {
            allocator.disk().shares().refused(lease.owner());
          } else if (e instanceof HeapShareException) {
            allocator.heap().refused(lease.owner());
          }
        });
  }

  /** Something to be done with a file of the disk tier. */
  interface DiskStep {
    void run(DiskSegment segment) throws IOException;
  }

  /** Does it under no lock; if it fails, the directory of the file is left out. */
  void atDisk(int segmentId, DiskStep step) throws IOException {
    DiskSegment segment = segmentOnDisk(segmentId);
    try {
      step.run(segment);
    } catch (IOException e) {
      failedUnlessGone(segment, e);
      throw e;
    }
  }

  /** The file of the disk tier with that id; takes the lock. */
  DiskSegment segmentOnDisk(int segmentId) throws IOException {
    return locked(
        () -> {
          DiskSegment segment = allocator.disk().segment(segmentId);
          if (segment == null) {
            throw new IOException(
                "segment " + segmentId + " was closed while an output was moved to it");
          }
          return segment;
        });
  }

  /** As {@link #failed}, unless the store closed the file meanwhile; takes the lock. */
  void failedUnlessGone(SegmentHandle segment, IOException cause) {
    if (lookUp(segment.info().segmentId()) == segment) { // else the disk has no part in it
      failed(segment, cause);
    }
  }

  /**
   * An action on a file of the disk tier failed: its directory is left out for a while. Takes the
   * lock.
   */
  void failed(SegmentHandle segment, IOException cause) {
    whileLocked(() -> allocator.disk().failed(segment, cause));
  }

  /** How full the store is, and its counters. */
  StoreStats stats() {
    return new StoreStats(
        allocator.memoryStats(leased.bytes(Tier.MEMORY), outputs.bytesOf(Tier.MEMORY)),
        allocator.diskStats(leased.bytes(Tier.DISK), outputs.bytesOf(Tier.DISK)),
        outputs.size(),
        allocator.overflows(),
        allocator.refusals(),
        memorySpace.failures() + allocator.memory().failedClaims(),
        memorySpace.handedOver(),
        allocator.memory().damages(),
        forgedOutputs,
        allocator.failedDirectories(),
        allocator.memory().segmentsOfOwners(),
        new CopyStats(copies.size(), copies.bytes(), copier.failures(), droppedCopies),
        allocator.disk().shares().heldBytes(),
        allocator.disk().shares().refusals(),
        allocator.heap().outputs(),
        allocator.heap().files(),
        allocator.heap().refusals());
  }
}
