package io.sluice.spill.store;

import io.sluice.rdma.memory.Closer;
import io.sluice.spill.disk.DeviceFile;
import io.sluice.spill.disk.DeviceStats;
import io.sluice.spill.disk.IoClass;
import io.sluice.spill.format.CorruptOutputException;
import io.sluice.spill.format.FooterLocation;
import io.sluice.spill.format.FooterReader;
import io.sluice.spill.format.OutputId;
import io.sluice.spill.format.OutputStamp;
import io.sluice.spill.segment.Extent;
import io.sluice.spill.segment.ExtentTable;
import io.sluice.spill.segment.Owner;
import io.sluice.spill.segment.PoolPaths;
import io.sluice.spill.segment.Range;
import io.sluice.spill.segment.SegmentInfo;
import io.sluice.spill.segment.Tier;
import java.io.Closeable;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashSet;
import java.util.Iterator;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.BooleanSupplier;
import java.util.function.LongSupplier;
import java.util.function.Predicate;
import java.util.function.Supplier;
import java.util.stream.Stream;

/**
 * The spill store of a node: owns the pool, leases extents to writers, checks and publishes what
 * they commit, finds it for readers, and frees it with its application. Tasks do not use this
 * class; they write through an {@link io.sluice.spill.writer.OutputWriter} over a connection to it.
 *
 * <p>Thread contract: safe from any thread; one lock guards the whole book-keeping, and no listener
 * is called under it. Ownership: the service that opens it closes it after everything that reads
 * from its segments. Failure: {@link StoreFullException} when no tier has room, {@link
 * CorruptOutputException} when a commit does not hold what it says, {@link IOException} of the file
 * systems; a failed call changes nothing.
 */
public final class SpillStore implements Closeable {
  /** Of the time that a disk has for its answer: a task waits for this, and for its lease. */
  private static final int REVIEW_PART = 4;

  /**
   * All that one lease waits: less than its task waits for the service, with some seconds left for
   * a second directory.
   */
  static final long LEASE_TIMEOUT_MS = 26_000;

  /** How long its end waits for files that are being made: longer than a disk has for one. */
  private static final long CLOSE_MS = 60_000;

  /** Of an output, at a time: half a second of a slow disk, and little beside a mark's cost. */
  public static final long PART_BYTES = 8L << 20;

  private final StoreConfig config;
  private final PoolFiles files;
  private final LongSupplier nanoTime;
  private final OutputLoader loader;
  private final long recoveredGenerationBound;

  private final ReentrantLock lock = new ReentrantLock();
  private final Allocator allocator;
  private final OutputDirectory outputs;
  private final Set<Lease> leases = new HashSet<>();
  private final LeasedBytes leasedBytes;
  private final LeaseKeeper keeper = new LeaseKeeper();
  private final AllLeased leased = new AllLeased();
  private final Quarantine quarantine;
  private final SegmentHolders holders = new SegmentHolders();
  private final StaleExtents former = new StaleExtents();
  private final OutputCopies copies;
  private final CopyThread copier = new CopyThread(this::copyToDisk, CopyThread.PAUSE_MS);
  private final MemoryArbiter memoryKeeper;
  private final MemorySpace room;
  private final DiskSpace diskRoom;
  private Lease copying; // of the copy that is being written; null: none gives way
  private boolean reviewed;
  private long forgedOutputs;
  private long droppedCopies;
  private boolean quiet;
  private boolean closed;

  private final AnnouncedSegments announced;
  private final CachedStats<StoreStats> stats;
  private final CachedStats<List<ApplicationUse>> uses;

  private SpillStore(StoreConfig config, PoolFiles files, LongSupplier nanoTime)
      throws IOException {
    this.config = config;
    this.files = files;
    this.nanoTime = nanoTime;
    this.memoryKeeper = config.memoryKeeper();
    this.allocator = new Allocator(config, files, nanoTime);
    this.leasedBytes = new LeasedBytes(allocator.disk().promised());
    this.diskRoom = new DiskSpace(lock, allocator, leased, this::checkUsable);
    this.outputs = new OutputDirectory(allocator.heap());
    this.copies = new OutputCopies(outputs::setCopied);
    this.announced = new AnnouncedSegments(config.segmentListener(), this::undeleted, nanoTime);
    this.loader =
        new OutputLoader(
            new FooterReader(files.poolId(), config.blockBytes()),
            config.blockBytes(),
            this::lookUp);
    this.recoveredGenerationBound = files.generations().bound();
    this.quarantine =
        new Quarantine(
            allocator,
            config,
            files.isRecovered() ? config.runningApplications() : Set.of(),
            this::disown);
    try {
      openFormerSegments();
      boolean shared =
          config.shared() && files.memory().servesOwners()
              || allocator.memory().segments().stream().anyMatch(this::isAnothers);
      this.room =
          new MemorySpace(
              config,
              files,
              allocator.memory(),
              shared,
              holders,
              new SegmentContent(),
              announced,
              lock,
              nanoTime);
      recoverOutputs();
    } catch (IOException | RuntimeException | Error e) {
      allocator.close();
      throw e;
    }
    this.stats = new CachedStats<>(lock, this::look);
    this.uses = new CachedStats<>(lock, outputs::uses);
  }

  /**
   * Opens a pool: recovers what lies there if the configuration says so, else empties it.
   *
   * @throws IOException if the directory is in use, somebody else's, or of another geometry
   */
  public static SpillStore open(StoreConfig config) throws IOException {
    return open(config, PoolSpaces::open);
  }

  static SpillStore open(StoreConfig config, PoolSpace.Opener opener) throws IOException {
    return open(config, opener, System::nanoTime);
  }

  /** The same by a clock of one's own. */
  static SpillStore open(StoreConfig config, PoolSpace.Opener opener, LongSupplier nanoTime)
      throws IOException {
    PoolFiles files = PoolFiles.open(config, opener);
    SpillStore store;
    try {
      store = new SpillStore(config, files, nanoTime);
    } catch (IOException | RuntimeException | Error e) {
      files.close();
      throw e;
    }
    try {
      store.room.start();
      if (config.copiesOutputs()) {
        store.copier.start();
      }
      return store;
    } catch (RuntimeException | Error e) { // a thread that was started must not outlive the files
      Closer.after(e, store);
      throw e;
    }
  }

  /** Names this pool at the end of its outputs, and to whoever reads them. */
  public UUID poolId() {
    return files.poolId();
  }

  /** Where its segments lie. */
  public PoolPaths places() {
    return PoolPaths.owned(poolId(), files.owner(), config.directory(), config.diskDirectories());
  }

  /** All segments that exist now. */
  public List<SegmentInfo> segments() {
    lock.lock();
    try {
      return allSegments().stream().map(SegmentHandle::info).toList();
    } finally {
      lock.unlock();
    }
  }

  /** An open segment, for a transport to register. */
  public Optional<SegmentHandle> segment(int segmentId) {
    return Optional.ofNullable(lookUp(segmentId));
  }

  /** Opens a lease for one task of this process's user. */
  public Lease openLease(String applicationId) throws IOException {
    return openLease(applicationId, files.owner());
  }

  /**
   * Opens a lease for one task of that owner, which writes what it sorted.
   *
   * @throws IllegalArgumentException if the store is not {@link StoreConfig#shared}
   */
  public Lease openLease(String applicationId, Owner owner) throws IOException {
    return openLease(applicationId, owner, IoClass.WRITE_SORT);
  }

  /** The same for one that writes to the disk tier in that class. */
  public Lease openLease(String applicationId, Owner owner, IoClass ioClass) throws IOException {
    OutputId.check("application id", applicationId);
    if (!config.shared() && !owner.equals(files.owner())) {
      throw new IllegalArgumentException(
          config.directory() + " serves user id " + files.owner() + " alone, not " + owner);
    }
    reviewQuarantine();
    lock.lock();
    try {
      checkOpen();
      long generation = files.generations().next();
      LeaseInfo info = new LeaseInfo(poolId(), config.blockBytes(), generation);
      Lease lease = new Lease(keeper, applicationId, owner, ioClass, info, leasedBytes);
      leases.add(lease);
      return lease;
    } finally {
      lock.unlock();
    }
  }

  /**
   * Checks that a task of that owner will be able to keep what it writes: one that can use another
   * shuffle does so before it begins.
   *
   * @throws HeapShareException if the owner's outputs and files leave no heap for more
   */
  public void checkTakesOutputs(Owner owner) throws HeapShareException {
    lock.lock();
    try {
      allocator.heap().checkTask(owner, () -> leased.isServingOthers(owner));
    } catch (HeapShareException e) {
      allocator.heap().refused(owner);
      throw e;
    } finally {
      lock.unlock();
    }
  }

  /**
   * Says that a session of an owner is sent a segment; empty if that is not his, in this
   * incarnation, or does not exist. The caller closes what it gets.
   */
  public Optional<SegmentHold> hold(Owner owner, int segmentId, int incarnation) {
    lock.lock();
    try {
      SegmentHandle segment = allocator.segment(segmentId);
      if (segment == null
          || !segment.owner().equals(owner)
          || segment.info().incarnation() != incarnation) {
        return Optional.empty();
      }
      if (segment.info().tier() == Tier.DISK) {
        return Optional.of(new SegmentHold(segment.info(), () -> {})); // never anybody else's
      }
      holders.add(segmentId);
      return Optional.of(new SegmentHold(segment.info(), () -> release(segment)));
    } finally {
      lock.unlock();
    }
  }

  private void release(SegmentHandle held) {
    lock.lock();
    try {
      if (allocator.segment(held.info().segmentId()) == held) { // else it was taken since
        holders.remove(held.info().segmentId());
        room.wake();
      }
    } finally {
      lock.unlock();
    }
  }

  /** The committed output of that name. */
  public Optional<CommittedOutput> find(OutputId id) {
    lock.lock();
    try {
      return Optional.ofNullable(outputs.find(id));
    } finally {
      lock.unlock();
    }
  }

  /** The committed outputs of an application, in no order. */
  public List<CommittedOutput> outputs(String applicationId) {
    lock.lock();
    try {
      return outputs.of(applicationId);
    } finally {
      lock.unlock();
    }
  }

  /** Applications that have committed outputs. */
  public Set<String> applications() {
    lock.lock();
    try {
      return outputs.applications();
    } finally {
      lock.unlock();
    }
  }

  /** What the outputs of each application hold, in no order; see {@link CachedStats}. */
  public List<ApplicationUse> applicationUses() {
    return uses.now();
  }

  /**
   * Frees the outputs of an application that has ended, ends what its leases may do, and counts it
   * as freed for the quarantine. Its open leases keep their blocks until they are closed.
   *
   * @throws IOException if something could not be freed; everything else is, and calling again
   *     tries that again
   */
  public void freeApplication(String applicationId) throws IOException {
    Cleanup cleanup = new Cleanup();
    freeing(
        cleanup,
        givenBack -> {
          checkOpen();
          leases.stream()
              .filter(lease -> lease.applicationId().equals(applicationId))
              .forEach(Lease::revoke);
          memoryKeeper.stopped(applicationId);
          freeAll(outputs.of(applicationId), givenBack, cleanup);
          quarantine.freed(applicationId);
        });
    cleanup.run(this::reviewQuarantine);
    cleanup.finish();
  }

  /** Frees those outputs of an application whose ids begin like this; the application goes on. */
  public void freeOutputs(String applicationId, String outputIdPrefix) throws IOException {
    freeOutputs(applicationId, outputId -> outputId.startsWith(outputIdPrefix));
  }

  /** Frees the outputs of an application of which this holds for the output's id. */
  public void freeOutputs(String applicationId, Predicate<String> areFreed) throws IOException {
    Cleanup cleanup = new Cleanup();
    freeing(
        cleanup,
        givenBack -> {
          checkOpen();
          List<CommittedOutput> chosen =
              outputs.of(applicationId).stream()
                  .filter(output -> areFreed.test(output.id().outputId()))
                  .toList();
          freeAll(chosen, givenBack, cleanup);
        });
    cleanup.finish();
  }

  /** Frees one output, if it is here. */
  public void freeOutput(OutputId id) throws IOException {
    freeing(
        givenBack -> {
          checkOpen();
          CommittedOutput output = outputs.find(id);
          if (output != null) {
            free(output, givenBack);
          }
        });
  }

  /** What {@link Emptying} looks at. */
  private final class SegmentContent implements Emptying.Content {
    @Override
    public long leasedBytes(SegmentHandle segment) {
      return leasedBytes.in(segment.info().segmentId());
    }

    @Override
    public boolean isQuarantined(SegmentHandle segment) {
      return !allocator.quarantined().isDisjoint(segment.range());
    }

    @Override
    public List<CommittedOutput> outputs(int segmentId) {
      return outputs.in(segmentId);
    }

    @Override
    public Optional<CommittedOutput> stillIn(int segmentId, OutputId id) {
      return Optional.ofNullable(outputs.find(id)).filter(now -> now.place().liesIn(segmentId));
    }

    @Override
    public void reuseFormer(int segmentId) throws IOException {
      Cleanup cleanup = new Cleanup();
      for (OutputLocation place : former.takeIn(segmentId)) { // of memory alone: nothing is deleted
        cleanup.run(() -> giveBack(place.extents(), new DeferredRelease()));
      }
      cleanup.finish();
    }

    @Override
    public void moveToDisk(CommittedOutput output) throws IOException {
      SpillStore.this.moveToDisk(output, () -> false);
    }
  }

  /** Does it under the lock, and behind it what disks have to do with it, also if it fails. */
  private void freeing(DeferredRelease.Step step) throws IOException {
    DeferredRelease givenBack = new DeferredRelease();
    try {
      underLock(step, givenBack);
    } catch (IOException | RuntimeException | Error e) {
      try {
        finish(givenBack);
      } catch (IOException | RuntimeException | Error alsoFailed) {
        e.addSuppressed(alsoFailed);
      }
      throw e;
    }
    finish(givenBack);
  }

  /** The same as one step of a clean-up, to which it may add others. */
  private void freeing(Cleanup cleanup, DeferredRelease.Step step) {
    cleanup.run(() -> freeing(step));
  }

  private void underLock(DeferredRelease.Step step, DeferredRelease givenBack) throws IOException {
    lock.lock();
    try {
      runAndTell(step, givenBack);
    } finally {
      lock.unlock();
    }
  }

  private void runAndTell(DeferredRelease.Step step, DeferredRelease givenBack) throws IOException {
    try {
      step.run(givenBack);
    } finally {
      givenBack.tell(memoryKeeper);
    }
    room.gaveBack();
  }

  /** Under no lock, since disks take their time: marks first, for what is given back by that. */
  private void finish(DeferredRelease givenBack) throws IOException {
    Cleanup cleanup = new Cleanup();
    for (DeferredRelease.Marked each : givenBack.takeMarked()) {
      cleanup.run(() -> unmark(each, givenBack));
    }
    givenBack.cuts().forEach((segment, bytes) -> cleanup.run(() -> cut(segment, bytes)));
    cleanup.run(() -> announced.retire(givenBack.retired()));
    cleanup.finish();
  }

  private void unmark(DeferredRelease.Marked marked, DeferredRelease givenBack) throws IOException {
    Optional<IOException> failure = tryClearMark(marked.place());
    lock.lock();
    try {
      if (!quiet) {
        runAndTell(to -> giveBack(marked, failure, to), givenBack);
      } else if (failure.isPresent()) {
        throw failure.get(); // the next start finds it
      } // else its blocks are freed by the next start
    } finally {
      lock.unlock();
    }
  }

  /** Its blocks stay where they are while its mark stands and may be believed. */
  private void giveBack(
      DeferredRelease.Marked marked, Optional<IOException> failure, DeferredRelease givenBack)
      throws IOException {
    if (failure.isPresent()) {
      disown(marked.place().tail(), failure.get());
    }
    marked.blocks().run(givenBack);
  }

  private static Optional<IOException> tryClearMark(OutputLocation place) {
    try {
      place.clearMark();
      return Optional.empty();
    } catch (IOException e) {
      return Optional.of(e);
    } catch (RuntimeException | Error e) { // its blocks are to be known to somebody all the same
      return Optional.of(new IOException("a mark could not be cleared: " + e, e));
    }
  }

  private void cut(SegmentHandle segment, long lengthBytes) {
    IOException failure = null;
    try {
      segment.truncate(lengthBytes);
    } catch (IOException e) {
      failure = e;
    }
    lock.lock();
    try {
      if (failure == null) {
        allocator.disk().wasCut(segment, lengthBytes);
      } else if (!quiet) {
        allocator.disk().wasNotCut(segment, failure);
      }
    } finally {
      lock.unlock();
    }
  }

  /** Frees those that are still there; lets in others meanwhile, because disks take their time. */
  private void freeAll(List<CommittedOutput> freed, DeferredRelease givenBack, Cleanup cleanup) {
    YieldingLock turn = new YieldingLock(lock);
    for (CommittedOutput output : freed) {
      turn.pass(() -> givenBack.tell(memoryKeeper));
      if (quiet) {
        cleanup.run(this::checkOpen); // what is left is freed by the next start
        return;
      }
      if (outputs.find(output.id()) == output) {
        cleanup.run(() -> free(output, givenBack));
      }
    }
  }

  /** From here on nobody finds it; its blocks go back once its mark is cleared. */
  private void free(CommittedOutput output, DeferredRelease givenBack) throws IOException {
    Optional<OutputCopies.Copy> copy = copies.take(output.id());
    if (copy.isPresent()) {
      giveUpCopy(copy.get(), givenBack);
    }
    OutputLocation place = output.place();
    boolean onDisk = place.tail().info().tier() == Tier.DISK;
    if (!onDisk) {
      clearMark(place);
    }
    outputs.remove(output);
    copier.remove(output);
    place.release(); // first: who reads from blocks of others must see it
    Optional<OutputLocation> left = former.take(output.id());
    DeferredRelease.Step blocks =
        to -> {
          to.freed(output.id().applicationId(), place.bytesOf(Tier.MEMORY));
          Cleanup cleanup = new Cleanup();
          cleanup.run(() -> giveBack(place.extents(), to));
          left.ifPresent(it -> cleanup.run(() -> giveBack(it.extents(), to)));
          cleanup.finish();
        };
    if (onDisk) {
      givenBack.unmark(place, blocks);
    } else {
      blocks.run(givenBack);
    }
  }

  /** Before another place of the same output gets its mark: of two, recovery trusts neither. */
  private void unmarkAtOnce(DeferredRelease givenBack) throws IOException {
    Cleanup cleanup = new Cleanup();
    for (DeferredRelease.Marked each : givenBack.takeMarked()) {
      cleanup.run(() -> giveBack(each, tryClearMark(each.place()), givenBack));
    }
    cleanup.finish();
  }

  /** It no longer exists at that place, or nobody will believe that it does. */
  private void clearMark(OutputLocation place) throws IOException {
    try {
      place.clearMark();
    } catch (IOException e) {
      SegmentHandle tail = place.tail();
      if (tail.info().tier() == Tier.DISK) {
        disown(tail, e); // the file is never used again, nor believed
      } else if (tail.isTrusted()) {
        throw e; // its blocks must not be granted again while the mark says that it exists
      } else {
        allocator.memory().damaged(tail); // the mark goes with the file
      }
    }
  }

  private void giveUpCopy(OutputCopies.Copy copy, DeferredRelease givenBack) {
    copy.output().place().release();
    givenBack.unmark(copy.output().place(), to -> giveBack(copy.own(), to));
  }

  private void giveBack(List<Extent> extents, DeferredRelease givenBack) throws IOException {
    Cleanup cleanup = new Cleanup();
    for (Extent extent : extents) {
      cleanup.run(() -> allocator.free(extent.range(), givenBack));
    }
    cleanup.finish();
  }

  /**
   * A mark in a file stays that is not true any more; blocks it claims may be reused after this.
   */
  private void disown(SegmentHandle segment, IOException cause) throws IOException {
    if (allocator.disk().disown(segment, cause) || files.isEpochDue()) {
      files.beginEpoch();
    }
  }

  /**
   * The outputs of an application that lie in the memory tier, in the order in which they had best
   * leave it: first those that have a copy on disk, then those that no reader was told of, of each
   * the largest. Each is looked for when it is asked for, by one thread at a time.
   */
  public Iterator<CommittedOutput> outputsInMemory(String applicationId) {
    return new OutputsInMemory(lock, outputs, applicationId);
  }

  /**
   * Lays an output on the disk tier while it is read; it exists all the time. Where it has a copy
   * there, nothing is written. Its former place is granted again at once if no reader was told of
   * it, else when its blocks are wanted.
   *
   * @param isAwaited whether somebody waits for its memory, asked before each unit; if not, a
   *     device does first what is waited for
   * @return how many bytes of the memory tier can be granted by that; 0 if the output was freed or
   *     replaced meanwhile
   * @throws StoreFullException if the disk tier has no room
   */
  public long moveToDisk(CommittedOutput output, BooleanSupplier isAwaited) throws IOException {
    return moveToDisk(output, Long.MAX_VALUE, () -> Long.MAX_VALUE, isAwaited);
  }

  /**
   * The same, from its end on, in parts of about {@link #PART_BYTES}, each of which has a place of
   * its own as soon as it is written: who waits for memory gets some of it before all has left. But
   * what readers were told of leaves at once, so that they have to ask once only.
   *
   * @param wantedBytes how much is still to leave, asked before each part
   * @throws StoreFullException if the disk tier has no room for the first part
   */
  public long moveToDisk(
      CommittedOutput output, LongSupplier wantedBytes, BooleanSupplier isAwaited)
      throws IOException {
    return moveToDisk(output, PART_BYTES, wantedBytes, isAwaited);
  }

  /** In parts of another length. */
  long moveToDisk(
      CommittedOutput output, long partBytes, LongSupplier wantedBytes, BooleanSupplier isAwaited)
      throws IOException {
    AtomicLong freedBytes = new AtomicLong();
    Optional<CommittedOutput> rest = Optional.of(output);
    try {
      while (rest.isPresent() && wantedBytes.getAsLong() > 0) {
        long mostBytes = rest.get().place().wasTold() ? Long.MAX_VALUE : partBytes;
        rest = moveEnd(rest.get(), mostBytes, isAwaited, freedBytes);
      }
    } catch (StoreFullException e) {
      if (freedBytes.get() == 0) { // else whoever wants more is told when he asks for that
        throw e;
      }
    } finally {
      rest.filter(now -> now != output).ifPresent(this::copyLater);
    }
    return freedBytes.get();
  }

  /** Returns it as it lies then, if something of it still lies in memory. */
  private Optional<CommittedOutput> moveEnd(
      CommittedOutput output, long mostBytes, BooleanSupplier isAwaited, AtomicLong freedBytes)
      throws IOException {
    if (switchToCopy(output, freedBytes)) {
      return Optional.empty();
    }
    try {
      layElsewhere(
          output,
          mostBytes,
          false,
          () -> isAwaited.getAsBoolean() ? IoClass.WRITE_SEND : IoClass.WRITE_AHEAD,
          (moved, lease) ->
              freeing(givenBack -> switchTo(moved, output, lease, freedBytes, givenBack)));
    } catch (IOException e) {
      if (find(output.id()).orElse(null) == output) {
        throw e;
      }
    }
    return find(output.id())
        .filter(now -> now != output && now.identity().equals(output.identity()))
        .filter(now -> now.place().bytesOf(Tier.MEMORY) > 0);
  }

  /**
   * Lays a copy of an output on the disk tier, marked as if it lay there alone: if the memory is
   * lost, it does. Nothing is done if it has one, or was freed, replaced or moved meanwhile.
   *
   * @throws StoreFullException if the disk tier has no room
   */
  void copyToDisk(CommittedOutput output) throws IOException {
    if (!lacksCopy(output)) {
      return;
    }
    try {
      layElsewhere(
          output,
          Long.MAX_VALUE,
          true,
          () -> IoClass.COPY,
          (copy, lease) -> freeing(givenBack -> keepCopy(copy, output, lease)));
    } catch (IOException e) {
      if (lacksCopy(output)) {
        throw e;
      }
    }
  }

  private boolean lacksCopy(CommittedOutput output) {
    lock.lock();
    try {
      return outputs.find(output.id()) == output
          && output.place().bytesOf(Tier.MEMORY) > 0
          && !copies.has(output.id());
    } finally {
      lock.unlock();
    }
  }

  private void keepCopy(CommittedOutput copy, CommittedOutput output, Lease lease)
      throws IOException {
    if (lacksCopy(output)) {
      checkUsable(lease);
      mark(copy);
      lease.held().ranges().forEach(lease.held()::remove);
      copies.add(copy, output);
    }
  }

  /** For another place of an output. */
  private Lease openLease(CommittedOutput output) throws IOException {
    return openLease(output.id().applicationId(), output.place().tail().owner());
  }

  /** What becomes of an output that was written elsewhere too, all of it but the mark. */
  private interface Laid {
    void at(CommittedOutput there, Lease lease) throws IOException;
  }

  /**
   * Writes it there under a lease of its own. What a successor has to know of that lease goes last:
   * once nothing of it is left, because it was given back or has its mark.
   *
   * @param mostBytes of what it has in memory, from its end on
   * @param isCopy whether it stays in memory, too
   * @param ioClass of the next unit
   */
  private void layElsewhere(
      CommittedOutput output, long mostBytes, boolean isCopy, Supplier<IoClass> ioClass, Laid laid)
      throws IOException {
    RecoveredLeases.Own own = null;
    try (Lease lease = openLease(output)) {
      OutputCopy copy = new OutputCopy(output, config.blockBytes(), mostBytes);
      ExtentTable extents = isCopy ? leaseForCopy(output, lease, copy) : leaseForMove(lease, copy);
      own = config.formerLeases().own(lease.info(), rangesOf(lease));
      FooterLocation trailer = write(output, copy, extents, lease, isCopy, ioClass);
      long mostExtents = extents.extents().size();
      CommittedOutput written = loader.load(trailer, lease.owner(), mostExtents);
      announced.announce(onDisk(extents).map(this::handleOf).toList()); // what stays was long ago
      laid.at(written, lease);
    } finally {
      if (own != null) {
        own.close(!isQuiet());
      }
    }
  }

  private static Stream<Extent> onDisk(ExtentTable extents) {
    return extents.extents().stream().filter(extent -> extent.segment().tier() == Tier.DISK);
  }

  private List<Range> rangesOf(Lease lease) {
    lock.lock();
    try {
      return lease.held().ranges();
    } finally {
      lock.unlock();
    }
  }

  /**
   * What nobody waits for is made safe before it gets its mark: what is found by the mark after a
   * crash of the machine is there. The mark itself is as safe as any other.
   */
  private FooterLocation write(
      CommittedOutput output,
      OutputCopy copy,
      ExtentTable extents,
      Lease lease,
      boolean isCopy,
      Supplier<IoClass> ioClass)
      throws IOException {
    try (InFlightWrites units = new InFlightWrites(this::undeletedUnlessGone)) {
      FooterLocation trailer =
          copy.write(
              extents,
              lease.info(),
              (range, bytes) -> {
                checkWanted(output, lease);
                units.write(
                    segmentOnDisk(range.segmentId()), ioClass.get(), range.offsetBytes(), bytes);
              });
      units.await();
      if (config.medium().isPersistent() || isCopy) {
        IoClass last = ioClass.get();
        Set<Integer> segmentIds = new LinkedHashSet<>(); // each forced once, for all extents in it
        onDisk(extents).forEach(extent -> segmentIds.add(extent.segment().segmentId()));
        for (int segmentId : segmentIds) { // what stays was not forced by a task, perhaps
          atDisk(segmentId, segment -> segment.force(last));
        }
      }
      endGivingWay(output, lease);
      return trailer;
    } catch (IOException e) {
      checkWanted(output, lease);
      throw e;
    }
  }

  /** What nobody wants any more is not written to its end, nor where others are to write. */
  private void checkWanted(CommittedOutput output, Lease lease) throws IOException {
    lock.lock();
    try {
      if (outputs.find(output.id()) != output) {
        throw new IOException(output.id() + " has gone while it was written elsewhere");
      }
      if (lease.isClosed()) {
        throw new StoreFullException("the copy of " + output.id() + " gave way to others");
      }
    } finally {
      lock.unlock();
    }
  }

  /** From here on a copy has its room for good: it is announced, and others may look at it. */
  private void endGivingWay(CommittedOutput output, Lease lease) throws IOException {
    lock.lock();
    try {
      checkWanted(output, lease);
      if (copying == lease) {
        copying = null;
      }
    } finally {
      lock.unlock();
    }
  }

  /** Looks at the bytes of an output where it lies. */
  public interface Check {
    /** Whether they are right. */
    boolean isRight(CommittedOutput output) throws IOException;
  }

  /**
   * Lets an output lie where its copy is, because it is damaged in memory.
   *
   * @param check what is asked of the copy first
   * @return whether the output has left its place; false if it has no copy that is right
   * @throws IOException if the copy cannot be looked at
   */
  public boolean replaceByCopy(CommittedOutput output, Check check) throws IOException {
    Optional<OutputCopies.Copy> copy = copyOf(output);
    return copy.isPresent()
        && check.isRight(copy.get().output())
        && switchToCopy(output, copy.get(), new AtomicLong());
  }

  /** Whether the output lies where its copy was, or is gone. */
  private boolean switchToCopy(CommittedOutput output, AtomicLong freedBytes) throws IOException {
    Optional<OutputCopies.Copy> copy = copyOf(output);
    return copy.isPresent() && switchToCopy(output, copy.get(), freedBytes);
  }

  private boolean switchToCopy(
      CommittedOutput output, OutputCopies.Copy copy, AtomicLong freedBytes) throws IOException {
    CommittedOutput moved = copy.output();
    // first: a disk that hangs keeps the output where it is
    SegmentHandle.checkAnswers(moved.extents().stream().map(this::handleOf).toList());
    AtomicBoolean switched = new AtomicBoolean();
    freeing(
        givenBack -> {
          checkOpen(); // a mark that is cleared later is cleared in memory of nobody
          Optional<OutputCopies.Copy> now = copies.find(output.id());
          if (outputs.find(output.id()) == output && now.filter(it -> it == copy).isPresent()) {
            clearMark(output.place());
            copies.take(output.id());
            leave(output, moved, freedBytes, givenBack);
            switched.set(true);
          }
        });
    return switched.get() || find(output.id()).orElse(null) != output;
  }

  private Optional<OutputCopies.Copy> copyOf(CommittedOutput output) {
    lock.lock();
    try {
      return copies.find(output.id());
    } finally {
      lock.unlock();
    }
  }

  /**
   * Gives up copies for so much room on disk, first the one that is being written, then the oldest;
   * false if there are none. In a directory that is left out now nobody would be granted their
   * room.
   *
   * @param waitMs how long to wait for the files of one that are being made
   */
  boolean dropCopies(long bytes, long waitMs) throws IOException {
    AtomicLong droppedBytes = new AtomicLong();
    AtomicReference<Lease> ended = new AtomicReference<>();
    Cleanup cleanup = new Cleanup();
    freeing(
        cleanup,
        givenBack -> {
          if (copyingBytes() > 0 && !copying.isClosed() && mayWork(copying)) {
            droppedBytes.addAndGet(copyingBytes());
            droppedCopies++;
            ended.set(copying);
            end(copying, givenBack, cleanup);
            diskRoom.takeBack(ended.get());
          }
          while (droppedBytes.get() < bytes) {
            Optional<OutputCopies.Copy> oldest = copies.takeOldest(this::mayWork);
            if (oldest.isEmpty()) {
              break;
            }
            droppedBytes.addAndGet(oldest.get().ownBytes());
            droppedCopies++;
            cleanup.run(() -> giveUpCopy(oldest.get(), givenBack));
          }
          if (droppedBytes.get() > 0) {
            copier.pause(); // else it takes the room again
          }
        });
    if (ended.get() != null) {
      diskRoom.awaitEnd(ended.get(), waitMs);
    }
    cleanup.finish();
    return droppedBytes.get() > 0;
  }

  /** Whether copies have given way; those that would not help stay. */
  private boolean makesRoom(StoreFullException full, long bytes, long waitMs) throws IOException {
    return !(full instanceof DiskShareException)
        && !(full instanceof HeapShareException)
        && dropCopies(bytes, waitMs);
  }

  private boolean mayWork(OutputCopies.Copy copy) {
    return copy.own().stream().allMatch(extent -> allocator.disk().mayWork(extent.range()));
  }

  private boolean mayWork(Lease lease) {
    return lease.held().ranges(Tier.DISK).stream().allMatch(allocator.disk()::mayWork);
  }

  private long copyingBytes() {
    return copying == null ? 0 : copying.heldBytes(Tier.DISK) + diskRoom.makingBytes(copying);
  }

  private ExtentTable leaseForMove(Lease lease, OutputCopy copy) throws IOException {
    return droppingCopies(copy.lengthBytes(), () -> leaseOnDisk(lease, copy, false));
  }

  private long leaseDeadlineNs() {
    return nanoTime.getAsLong() + TimeUnit.MILLISECONDS.toNanos(LEASE_TIMEOUT_MS);
  }

  /** How long a lease may wait for what others have asked of disks; most is left for memory. */
  private long settleMs(long deadlineNs) {
    return Math.min(config.diskTimeoutMs() / REVIEW_PART, leftMs(deadlineNs));
  }

  private long leftMs(long deadlineNs) {
    return Math.max(0, TimeUnit.NANOSECONDS.toMillis(deadlineNs - nanoTime.getAsLong()));
  }

  /** Of the disk tier alone. */
  private interface Leasing<T> {
    T run() throws IOException;
  }

  /** Copies give way as long as there is no room for that. */
  private <T> T droppingCopies(long wantedBytes, Leasing<T> leasing) throws IOException {
    long deadlineNs = leaseDeadlineNs();
    boolean settled = false;
    while (true) {
      try {
        return leasing.run();
      } catch (StoreFullException e) {
        if (!settled) {
          settled = true;
          diskRoom.settle(settleMs(deadlineNs));
          continue;
        }
        settled = false;
        if (!makesRoom(e, wantedBytes, settleMs(deadlineNs))) {
          throw e;
        }
      }
    }
  }

  /** It has it for as long as nobody else lacks it. */
  private ExtentTable leaseForCopy(CommittedOutput output, Lease lease, OutputCopy copy)
      throws IOException {
    try {
      return leaseOnDisk(lease, copy, true);
    } catch (IOException e) {
      checkWanted(output, lease);
      throw e;
    }
  }

  private ExtentTable leaseOnDisk(Lease lease, OutputCopy copy, boolean givesWay)
      throws IOException {
    DiskSpace.Outcome outcome =
        new DiskSpace.Outcome() {
          @Override
          public void granted(List<Extent> extents) {
            extents.forEach(extent -> lease.held().add(extent.range()));
          }

          @Override
          public String refused(long shortBytes) {
            return allocator.full(copy.lengthBytes(), shortBytes, leased, ", which it is to leave");
          }
        };
    DiskSpace.Request request;
    lock.lock();
    try {
      checkUsable(lease);
      if (givesWay) {
        allocator.heap().checkCopy(lease.owner(), () -> leased.isServingOthers(lease.owner()));
      }
      request = diskRoom.reserve(lease, copy.lengthBytes(), outcome);
      if (givesWay) {
        copying = lease;
      }
    } finally {
      lock.unlock();
    }
    return copy.lay(diskRoom.make(request));
  }

  private interface DiskStep {
    void run(SegmentHandle segment) throws IOException;
  }

  /** A directory in which that fails is left out. */
  private void atDisk(int segmentId, DiskStep step) throws IOException {
    SegmentHandle segment = segmentOnDisk(segmentId);
    try {
      step.run(segment);
    } catch (IOException e) {
      undeletedUnlessGone(segment, e);
      throw e;
    }
  }

  private SegmentHandle segmentOnDisk(int segmentId) throws IOException {
    SegmentHandle segment = lookUp(segmentId);
    if (segment == null) {
      throw new IOException("segment " + segmentId + " was closed while an output was moved to it");
    }
    return segment;
  }

  private void undeletedUnlessGone(SegmentHandle segment, IOException cause) {
    if (lookUp(segment.info().segmentId()) == segment) { // else the disk has no part in it
      undeleted(segment, cause);
    }
  }

  /** From here on the output lies where it was copied to. */
  private void switchTo(
      CommittedOutput moved,
      CommittedOutput output,
      Lease lease,
      AtomicLong freedBytes,
      DeferredRelease givenBack)
      throws IOException {
    if (outputs.find(output.id()) != output) {
      return;
    }
    checkUsable(lease);
    Optional<OutputCopies.Copy> copy = copies.take(output.id()); // it was being made meanwhile
    if (copy.isPresent()) {
      giveUpCopy(copy.get(), givenBack);
      unmarkAtOnce(givenBack);
    }
    mark(moved);
    try { // of two places that are marked, recovery takes the later one
      clearMark(output.place());
    } catch (IOException | RuntimeException | Error e) {
      takeBackAfter(e, moved);
      throw e;
    }
    lease.held().ranges().forEach(lease.held()::remove); // all of it is the output's
    leave(output, moved, freedBytes, givenBack);
  }

  /** It lies elsewhere by now, as the marks say. */
  private void leave(
      CommittedOutput output,
      CommittedOutput moved,
      AtomicLong freedBytes,
      DeferredRelease givenBack)
      throws IOException {
    outputs.add(moved);
    copier.remove(output);
    OutputLocation left = output.place();
    left.release(); // first: who is told of it from now on sees it
    long stayingBytes = moved.place().bytesOf(Tier.MEMORY);
    long leftBytes = left.bytesOf(Tier.MEMORY) - stayingBytes;
    freedBytes.addAndGet(leftBytes);
    memoryKeeper.moved(output.id().applicationId(), leftBytes); // whatever fails from here on
    boolean leftAll = stayingBytes == 0 && left.bytesOf(Tier.DISK) == 0; // none is its new place's
    if (left.wasTold() && leftAll) {
      former.add(output.id(), left);
      for (Extent extent : left.extents()) {
        files.leaseMarks().freed(extent.range()); // nobody writes there: no successor need wait
      }
    } else {
      room.came();
      giveBack(left.extentsBeside(moved.place()), givenBack);
    }
  }

  /** Grants what outputs have left, as far as it is wanted. */
  private void reuseFormer(
      Owner owner, long lengthBytes, boolean contiguous, DeferredRelease givenBack)
      throws IOException {
    while (!former.isEmpty() && !allocator.memory().hasRoom(owner, lengthBytes, contiguous)) {
      giveBack(former.takeOldest().orElseThrow().extents(), givenBack);
    }
  }

  /** A reader was told of these ranges of the disk tier, and may come for them in this order. */
  public void expectReads(List<Range> told) {
    List<DeviceFile.Told> expected = new ArrayList<>();
    for (Range range : told) {
      Optional.ofNullable(lookUp(range.segmentId()))
          .flatMap(segment -> segment.told(range))
          .ifPresent(expected::add);
    }
    DeviceFile.expect(expected);
  }

  /** What the devices of the disk tier did, each that was used. */
  public List<DeviceStats> deviceStats() {
    return allocator.disk().deviceStats(); // which has a lock of its own
  }

  /** What is leased on the disk tier and not written yet; guarded by the lock. */
  ReservedDiskBytes promised() {
    return allocator.disk().promised();
  }

  /** How full it is; see {@link CachedStats}. */
  public StoreStats stats() {
    return stats.now();
  }

  private StoreStats look() {
    return new StoreStats(
        allocator.memoryStats(leasedBytes.of(Tier.MEMORY), outputs.bytesOf(Tier.MEMORY)),
        allocator.diskStats(leasedBytes.of(Tier.DISK), outputs.bytesOf(Tier.DISK)),
        outputs.size(),
        allocator.overflows(),
        allocator.refusals(),
        room.failures() + allocator.memory().failedClaims(),
        room.handedOver(),
        allocator.memory().damages(),
        forgedOutputs,
        allocator.failedDirectories(),
        allocator.memory().segmentsOfOwners(),
        new CopyStats(copies.size(), copies.bytes(), copier.failures(), droppedCopies),
        allocator.disk().ownerBytes(),
        allocator.disk().shareRefusals(),
        allocator.heap().outputs(),
        allocator.heap().files(),
        allocator.heap().refusals());
  }

  /**
   * Stops granting, freeing and publishing, before the connections of tasks are closed: tasks that
   * outlive this store must find what they had leased in the quarantine of its successor.
   */
  public void quiesce() {
    lock.lock();
    try {
      quiet = true;
      copier.stop();
      room.end();
    } finally {
      lock.unlock();
    }
  }

  /** Whether it was told to stop; what fails from then on is no fault of whoever asked. */
  public boolean isQuiet() {
    lock.lock();
    try {
      return quiet;
    } finally {
      lock.unlock();
    }
  }

  /** Unmaps and unlocks; what is committed or leased stays on the medium. Idempotent. */
  @Override
  public void close() throws IOException {
    quiesce();
    if (!diskRoom.awaitEnd(CLOSE_MS)) {
      throw new IOException("files are still being made on disk after " + CLOSE_MS + " ms");
    }
    room.stop(); // if it cannot be stopped, nobody else may have the pool: close it again then
    lock.lock();
    try {
      if (closed) {
        return;
      }
      closed = true;
    } finally {
      lock.unlock();
    }
    Closer.all(announced, this::closeSegments, copier::awaitEnd, files);
  }

  private void closeSegments() throws IOException {
    lock.lock();
    try {
      Closer.all(allocator::close, room);
    } finally {
      lock.unlock();
    }
  }

  /** What a lease is asked for. */
  private record Wanted(Lease lease, long bytes, boolean contiguous, boolean last) {
    Wanted atLast() {
      return new Wanted(lease, bytes, contiguous, true);
    }
  }

  /** Does what leases are asked for. */
  private final class LeaseKeeper implements Lease.Keeper {
    /** For what can never be granted nobody need give back anything. */
    @Override
    public void checkCanEverFit(Lease lease, long lengthBytes) throws IOException {
      if (!couldFit(lease, lengthBytes)) {
        diskRoom.settle(settleMs(leaseDeadlineNs()));
        requireFit(lease, lengthBytes);
      }
    }

    private boolean couldFit(Lease lease, long lengthBytes) throws IOException {
      lock.lock();
      try {
        checkUsable(lease);
        return allocator.lackingBytes(lengthBytes, leased) <= 0;
      } finally {
        lock.unlock();
      }
    }

    private void requireFit(Lease lease, long lengthBytes) throws IOException {
      lock.lock();
      try {
        checkUsable(lease);
        allocator.checkCanEverFit(lengthBytes, leased);
      } finally {
        lock.unlock();
      }
    }

    @Override
    public List<Extent> lease(Lease lease, long lengthBytes, boolean contiguous)
        throws IOException {
      long deadlineNs = leaseDeadlineNs();
      long wantedBytes = allocator.roundUp(lengthBytes);
      if (lacksRoom(lease.owner(), wantedBytes, contiguous)) {
        reviewQuarantine();
      }
      if (contiguous && wantedBytes > Extent.MAX_LENGTH_BYTES) {
        throw new IllegalArgumentException(
            "cannot lease "
                + wantedBytes
                + " bytes in one piece, at most "
                + Extent.MAX_LENGTH_BYTES);
      }
      checkCanEverFit(lease, wantedBytes); // first: who is killed asks for nothing
      boolean fits = !contiguous || wantedBytes <= config.segmentBytes(); // as below
      boolean last = !hasDisk();
      Wanted wanted = new Wanted(lease, wantedBytes, contiguous, last);
      boolean settled = false;
      while (true) {
        long memoryBytes =
            fits
                ? memoryKeeper.ask(lease, wantedBytes, contiguous, last, memoryMs(deadlineNs, last))
                : 0;
        try {
          return take(wanted, memoryBytes, memoryMs(deadlineNs, last));
        } catch (StoreFullException e) {
          if (!settled && hasDisk()) {
            settled = true;
            diskRoom.settle(settleMs(deadlineNs));
            continue; // there may be more room now
          }
          settled = false;
          if (makesRoom(e, wantedBytes, settleMs(deadlineNs))) {
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

    /**
     * How long it may wait for memory; a disk that is asked next has its own time for an answer.
     */
    private long memoryMs(long deadlineNs, boolean last) {
      long leftMs = leftMs(deadlineNs);
      return last ? leftMs : Math.max(0, leftMs - config.diskTimeoutMs());
    }

    /** Whether memory is kept from that owner, which it may have at last. */
    private boolean isLimited(Owner owner) {
      lock.lock();
      try {
        return !allocator.memory().mayHaveMore(owner, false);
      } finally {
        lock.unlock();
      }
    }

    private StoreFullException refused(Lease lease, StoreFullException e) {
      lock.lock();
      try {
        allocator.refused();
        shareRefused(lease, e);
        return e;
      } finally {
        lock.unlock();
      }
    }

    /** Counts who was refused what others have less of. */
    private void shareRefused(Lease lease, StoreFullException e) {
      lock.lock();
      try {
        if (e instanceof DiskShareException) {
          allocator.disk().shareRefused(lease.owner());
        } else if (e instanceof HeapShareException) {
          allocator.heap().refused(lease.owner());
        }
      } finally {
        lock.unlock();
      }
    }

    private boolean hasDisk() {
      return !config.diskDirectories().isEmpty();
    }

    /** Takes what it can of so much from memory, which the lease was granted, the rest on disk. */
    private List<Extent> take(Wanted wanted, long memoryBytes, long memoryMs) throws IOException {
      List<Extent> taken = new ArrayList<>();
      AtomicReference<DiskSpace.Request> rest = new AtomicReference<>();
      try {
        freeing(givenBack -> takeNow(wanted, memoryBytes, memoryMs, taken, rest, givenBack));
      } catch (IOException | RuntimeException | Error e) {
        if (rest.get() != null) {
          diskRoom.giveUp(rest.get());
        }
        giveBackAfter(e, wanted.lease(), taken);
        throw e;
      }
      if (rest.get() == null) {
        return taken;
      }
      try {
        List<Extent> all = new ArrayList<>(taken);
        all.addAll(diskRoom.make(rest.get()));
        return all;
      } catch (IOException | RuntimeException | Error e) {
        diskRoom.giveUp(rest.get());
        giveBackAfter(e, wanted.lease(), taken);
        throw e;
      }
    }

    /** Under the lock; files are to be made for what is reserved. */
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
        checkUsable(lease);
        String lack = "";
        if (memoryBytes > 0) {
          reuseFormer(lease.owner(), memoryBytes, wanted.contiguous(), givenBack);
          lack =
              room.await(
                  lease.owner(),
                  memoryBytes,
                  wanted.contiguous(),
                  wanted.last(),
                  memoryMs,
                  () -> checkUsable(lease));
        }
        taken.addAll(fromMemory(wanted, memoryBytes));
        unusedBytes -= memoryBytesOf(taken);
        taken.forEach(extent -> lease.held().add(extent.range()));
        long missingBytes = wanted.bytes() - memoryBytesOf(taken);
        if (missingBytes > 0) {
          rest.set(diskRoom.reserve(lease, missingBytes, rest(wanted, taken, lack)));
        }
        room.wake();
      } catch (IOException | RuntimeException | Error e) {
        giveBackAfter(e, lease, taken);
        throw e;
      } finally {
        gaveBack(lease, MemoryUse.WRITING, unusedBytes);
        if (lease.isClosed()) {
          memoryKeeper.closed(lease);
        }
      }
    }

    /** Nothing in part of what must be contiguous. */
    private List<Extent> fromMemory(Wanted wanted, long memoryBytes) throws IOException {
      long mostBytes =
          wanted.contiguous() && memoryBytes < wanted.bytes()
              ? 0
              : Math.min(wanted.bytes(), memoryBytes);
      return allocator
          .memory()
          .take(wanted.lease().owner(), mostBytes, wanted.contiguous(), wanted.last());
    }

    /** What becomes of what has no room in memory. */
    private DiskSpace.Outcome rest(Wanted wanted, List<Extent> taken, String lack) {
      return new DiskSpace.Outcome() {
        @Override
        public void granted(List<Extent> extents) {
          extents.forEach(extent -> wanted.lease().held().add(extent.range()));
          allocator.overflowed();
        }

        @Override
        public String refused(long shortBytes) throws IOException {
          giveBack(wanted.lease(), taken); // first: the message tells what is free
          return allocator.full(wanted.bytes(), shortBytes, leased, lack);
        }
      };
    }

    private void giveBackAfter(Throwable failure, Lease lease, List<Extent> taken) {
      lock.lock();
      try {
        giveBack(lease, taken);
      } catch (IOException | RuntimeException | Error e) {
        if (e != failure) {
          failure.addSuppressed(e);
        }
      } finally {
        lock.unlock();
      }
    }

    /**
     * Gives back what a lease was just granted of memory, if it still has it, and empties the list.
     */
    private void giveBack(Lease lease, List<Extent> taken) throws IOException {
      if (quiet) {
        return; // a successor finds what it has
      }
      taken.removeIf(extent -> !lease.held().contains(extent.range()));
      long memoryBytes = memoryBytesOf(taken);
      taken.forEach(extent -> lease.held().remove(extent.range()));
      try {
        allocator.memory().giveBack(taken);
      } finally {
        gaveBack(lease, MemoryUse.WRITING, memoryBytes);
        room.came();
        room.gaveBack();
      }
    }

    /** Blocks that come only later, with a further segment or another owner's, are no use. */
    @Override
    public Optional<Extent> leaseMemory(Lease lease, MemoryUse use, long lengthBytes)
        throws IOException {
      long wantedBytes = allocator.roundUp(lengthBytes);
      checkUsableNow(lease);
      boolean fits = wantedBytes <= config.segmentBytes(); // else nobody need give back for it
      if (!fits || !memoryKeeper.askNow(lease, use, wantedBytes)) {
        return Optional.empty();
      }
      List<Extent> taken = new ArrayList<>();
      freeing(
          givenBack -> {
            try {
              checkUsable(lease);
              reuseFormer(lease.owner(), wantedBytes, true, givenBack);
              taken.addAll(allocator.memory().take(lease.owner(), wantedBytes, true));
              if (taken.isEmpty()) {
                room.lacked(lease.owner());
              }
              taken.forEach(extent -> lease.held(use).add(extent.range()));
              room.wake();
            } finally {
              gaveBack(lease, use, wantedBytes - memoryBytesOf(taken));
              if (lease.isClosed()) {
                memoryKeeper.closed(lease);
              }
            }
          });
      return taken.stream().findFirst();
    }

    @Override
    public List<Extent> leaseDisk(Lease lease, long lengthBytes) throws IOException {
      long wantedBytes = allocator.roundUp(lengthBytes);
      try {
        Wanted wanted = new Wanted(lease, wantedBytes, false, false);
        return droppingCopies(wantedBytes, () -> take(wanted, 0, 0));
      } catch (DiskShareException | HeapShareException e) {
        shareRefused(lease, e);
        throw e;
      }
    }

    @Override
    public DiskWrite beginWrite(Lease lease, Range range) throws IOException {
      SegmentHandle segment = writable(lease, range);
      return new DiskWrite(
          segment.beginWrite(lease.ioClass(), range.offsetBytes(), (int) range.lengthBytes()),
          failure -> undeleted(segment, failure));
    }

    @Override
    public void force(Lease lease, Range place) throws IOException {
      int segmentId = writable(lease, place).info().segmentId();
      atDisk(segmentId, segment -> segment.force(lease.ioClass()));
    }

    @Override
    public void release(Lease lease, List<Extent> extents) throws IOException {
      freeing(
          givenBack -> {
            checkOpen();
            for (Extent extent : extents) {
              Range range = extent.range();
              Optional<MemoryUse> use = useOf(lease, range);
              if (use.isPresent()) {
                lease.held(use.get()).remove(range);
                gaveBack(lease, use.get(), memoryBytesOf(List.of(extent)));
                allocator.free(range, givenBack);
              } else if (!allocator.quarantined().contains(range)) {
                throw new IllegalArgumentException(
                    range + " cannot be released, it is not leased here");
              }
            }
          });
    }

    @Override
    public void commit(Lease lease, OutputStamp stamp, FooterLocation trailer, boolean mayReplace)
        throws IOException {
      long mostExtents = mostExtents(lease); // first: it gives its blocks to what it commits
      if (isCommitted(lease, stamp)) {
        return; // and what lies there now may be another one's
      }
      CommittedOutput output = loader.load(trailer, lease.owner(), mostExtents);
      if (!output.identity().stamp().equals(stamp)) {
        throw new CorruptOutputException(
            "what ends at "
                + trailer
                + " is of "
                + output.id()
                + ", "
                + output.identity().stamp()
                + ", expected "
                + stamp);
      }
      pinClaimed(lease, output); // first: nothing of others is looked at by name, or registered
      try {
        List<SegmentHandle> written =
            output.extents().stream().map(SpillStore.this::handleOf).toList();
        SegmentHandle.checkAnswers(written); // to register them is to look at the files
        checkWhole(written);
        announced.announce(written);
        freeing(givenBack -> publish(lease, output, mayReplace, givenBack));
      } catch (HeapShareException e) {
        shareRefused(lease, e);
        throw e;
      } finally {
        unpin(output);
      }
    }

    @Override
    public void close(Lease lease) throws IOException {
      Cleanup cleanup = new Cleanup();
      freeing(cleanup, givenBack -> end(lease, givenBack, cleanup));
      cleanup.finish();
    }
  }

  private void end(Lease lease, DeferredRelease givenBack, Cleanup cleanup) {
    if (!lease.markClosed() || quiet) {
      return;
    }
    leases.remove(lease);
    for (MemoryUse use : MemoryUse.values()) {
      for (Range range : lease.held(use).ranges()) {
        lease.held(use).remove(range);
        cleanup.run(() -> allocator.free(range, givenBack));
      }
    }
    memoryKeeper.closed(lease);
  }

  /** The file of the disk tier in which a range lies that a lease may write. */
  private SegmentHandle writable(Lease lease, Range range) throws IOException {
    Range blocks = allocator.wholeBlocks(range);
    lock.lock();
    try {
      checkUsable(lease);
      SegmentHandle segment = allocator.disk().segment(range.segmentId());
      boolean leased =
          segment != null
              && segment.owner().equals(lease.owner())
              && holder(lease, blocks).contains(blocks);
      if (!leased) {
        throw new IllegalArgumentException(
            range + " cannot be written, it is not leased on the disk tier here");
      }
      return segment;
    } finally {
      lock.unlock();
    }
  }

  private static Optional<MemoryUse> useOf(Lease lease, Range range) {
    return Arrays.stream(MemoryUse.values())
        .filter(use -> lease.held(use).contains(range))
        .findFirst();
  }

  private void gaveBack(Lease lease, MemoryUse use, long memoryBytes) {
    if (memoryBytes > 0) {
      memoryKeeper.gaveBack(lease, use, memoryBytes);
    }
  }

  private static long memoryBytesOf(List<Extent> extents) {
    return extents.stream()
        .filter(extent -> extent.segment().tier() == Tier.MEMORY)
        .mapToLong(Extent::lengthBytes)
        .sum();
  }

  /** An extent has a block of its own, which is leased, or was before a restart. */
  private long mostExtents(Lease lease) {
    lock.lock();
    try {
      return (lease.held().bytes() + allocator.quarantined().bytes()) / config.blockBytes();
    } finally {
      lock.unlock();
    }
  }

  /** Whether it is there already: its answer may have been lost. */
  private boolean isCommitted(Lease lease, OutputStamp stamp) throws IOException {
    lock.lock();
    try {
      checkUsable(lease);
      if (!stamp.id().applicationId().equals(lease.applicationId())) {
        throw new CorruptOutputException(
            stamp.id() + " cannot be committed by a lease of " + lease.applicationId());
      }
      CommittedOutput held = outputs.find(stamp.id());
      return held != null && held.identity().stamp().equals(stamp);
    } finally {
      lock.unlock();
    }
  }

  private void publish(
      Lease lease, CommittedOutput output, boolean mayReplace, DeferredRelease givenBack)
      throws IOException {
    OutputId id = output.id();
    checkUsable(lease);
    CommittedOutput former = outputs.find(id);
    if (former != null && former.identity().equals(output.identity())) {
      return; // somebody asked again, and was faster
    }
    if (former != null && !mayReplace) {
      throw new IOException(
          id
              + " is committed already, with generation "
              + former.place().generation()
              + "; it cannot be committed again with "
              + output.place().generation());
    }
    checkHeld(lease, output);
    if (former == null) {
      long heapBytes = HeapShares.outputBytes(output.extents().size());
      allocator.heap().check(lease.owner(), heapBytes, () -> leased.isServingOthers(lease.owner()));
    }
    if (former != null) {
      free(former, givenBack);
      unmarkAtOnce(givenBack);
    }
    mark(output);
    for (Extent extent : output.extents()) {
      BlockSet holder = holder(lease, extent.range());
      holder.remove(extent.range());
      long memoryBytes = memoryBytesOf(List.of(extent));
      if (memoryBytes > 0 && holder == lease.held()) {
        memoryKeeper.committed(lease, memoryBytes);
      } else if (memoryBytes > 0) {
        memoryKeeper.resumed(id.applicationId(), memoryBytes);
      }
    }
    outputs.add(output);
    copyLater(output);
  }

  private void copyLater(CommittedOutput output) {
    if (config.copiesOutputs()) {
      copier.add(output);
    }
  }

  /** If it fails, the output does not exist, although the mark may be there. */
  private void mark(CommittedOutput output) throws IOException {
    try {
      output.place().mark();
    } catch (DiskThread.NotBegunException e) { // it is not there: what is there is to be believed
      allocator.disk().failed(output.place().tail(), e);
      throw e;
    } catch (IOException | RuntimeException | Error e) {
      takeBackAfter(e, output);
      throw e;
    }
  }

  private void takeBackAfter(Throwable failure, CommittedOutput output) {
    try {
      takeBack(output, failure);
    } catch (IOException | RuntimeException | Error alsoFailed) {
      failure.addSuppressed(alsoFailed);
    }
  }

  private void takeBack(CommittedOutput output, Throwable failure) throws IOException {
    SegmentHandle tail = output.place().tail();
    if (tail.info().tier() == Tier.DISK && failure instanceof IOException e) {
      disown(tail, e); // and not waited for a second time
    } else {
      output.place().clearMark();
    }
  }

  private void openFormerSegments() throws IOException {
    for (int segmentId : files.memory().segmentIds()) {
      allocator.memory().add(files.memory().open(segmentId));
    }
    for (int segmentId : files.memory().freeIds()) {
      files.leaseMarks().freed(new Range(segmentId, 0, config.segmentBytes()));
      allocator.memory().addNobodys(segmentId);
    }
    for (var path : files.diskSegments()) {
      allocator.disk().open(path);
    }
    announced.announce(allSegments());
  }

  private void recoverOutputs() throws IOException {
    List<SegmentHandle> segments = allSegments();
    BlockSet unclaimed = allocator.quarantined();
    segments.forEach(segment -> unclaimed.add(segment.range()));
    Recovery recovery =
        new Recovery(
            loader,
            config.blockBytes(),
            recoveredGenerationBound,
            config.applicationOwners(),
            allocator.disk()::disown,
            config.copiesOutputs());
    List<CommittedOutput> found = recovery.scan(segments);
    Map<OutputId, CommittedOutput> copied = recovery.copies();
    for (CommittedOutput output : found) {
      output.extents().forEach(extent -> unclaimed.remove(extent.range()));
      outputs.add(output);
      if (copied.containsKey(output.id())) {
        OutputCopies.Copy copy = copies.add(copied.get(output.id()), output);
        copy.own().forEach(extent -> unclaimed.remove(extent.range()));
      }
      memoryKeeper.recovered(output.id().applicationId(), output.place().bytesOf(Tier.MEMORY));
      copyLater(output);
    }
    memoryKeeper.quarantined(unclaimed.bytesOf(Tier.MEMORY));
    forgedOutputs = recovery.forged();
    files.beginEpoch(); // first: what is not here now must not come back once this is reused
    for (CommittedOutput left : recovery.left()) {
      if (isFree(left, unclaimed)) {
        clearMark(left.place()); // else it is found once more, and the later place perhaps not
      }
    }
    DeferredRelease givenBack = new DeferredRelease();
    quarantine.releaseNeverGranted(givenBack);
    finish(givenBack);
    reviewQuarantine();
  }

  /**
   * Whether a place is nobody's by now, but for what is part of the output's other place as well.
   */
  private boolean isFree(CommittedOutput left, BlockSet unclaimed) {
    CommittedOutput held = outputs.find(left.id());
    List<Extent> beside =
        held != null && held.hasTheBytesOf(left)
            ? left.place().extentsBeside(held.place())
            : left.extents();
    return beside.stream().allMatch(extent -> unclaimed.contains(extent.range()));
  }

  private boolean lacksRoom(Owner owner, long lengthBytes, boolean contiguous) {
    lock.lock();
    try {
      return !quarantine.isEmpty() && !allocator.memory().hasRoom(owner, lengthBytes, contiguous);
    } finally {
      lock.unlock();
    }
  }

  /**
   * Frees what no output claims and nobody can be writing to any more; what takes too long comes
   * with the next review.
   */
  private void reviewQuarantine() throws IOException {
    lock.lock();
    try {
      if (quiet || reviewed && quarantine.isEmpty()) {
        return;
      }
      reviewed = true;
    } finally {
      lock.unlock();
    }
    RecoveredLeases.Review review = config.formerLeases().review(poolId());
    long deadlineNs =
        nanoTime.getAsLong() + TimeUnit.MILLISECONDS.toNanos(config.diskTimeoutMs()) / REVIEW_PART;
    Cleanup cleanup = new Cleanup();
    AtomicBoolean complete = new AtomicBoolean();
    freeing(
        cleanup,
        givenBack -> {
          YieldingLock turn = new YieldingLock(lock);
          BlockSet releasable = quarantine.releasable(review);
          BooleanSupplier goesOn =
              () -> {
                turn.pass();
                return !quiet && nanoTime.getAsLong() - deadlineNs < 0;
              };
          quarantine.clear(releasable, goesOn, cleanup);
          complete.set(quarantine.release(releasable, goesOn, givenBack, cleanup));
        });
    cleanup.finish();
    if (complete.get()) {
      config.formerLeases().settled(review);
    }
  }

  private boolean isAnothers(SegmentHandle segment) {
    return !segment.owner().equals(files.owner());
  }

  /** A file of the disk tier stays longer than it should. */
  private void undeleted(SegmentHandle segment, IOException cause) {
    lock.lock();
    try {
      allocator.disk().failed(segment, cause);
    } finally {
      lock.unlock();
    }
  }

  private void checkHeld(Lease lease, CommittedOutput output) throws IOException {
    boolean resumed = false;
    for (Extent extent : output.extents()) {
      BlockSet holder = holder(lease, extent.range());
      if (!holder.contains(extent.range())) {
        throw new CorruptOutputException(
            output.id() + " claims " + extent.range() + ", which is not leased to it");
      }
      SegmentHandle segment = allocator.segment(extent.segment().segmentId());
      if (!segment.owner().equals(lease.owner())) {
        throw new CorruptOutputException(
            output.id() + " claims " + extent.range() + ", which is another owner's");
      }
      resumed |= holder != lease.held();
    }
    long generation = output.place().generation();
    boolean former = resumed && generation >= 0 && generation < recoveredGenerationBound;
    if (generation != lease.info().generation() && !former
        || generation != output.identity().writerGeneration()) {
      throw new CorruptOutputException(
          output.id()
              + " has generation "
              + generation
              + " and a writer's of "
              + output.identity().writerGeneration()
              + ", expected "
              + lease.info().generation()
              + " for both");
    }
  }

  /** Nothing of it is cut, by now; later that is found when it is read. */
  private void checkWhole(List<SegmentHandle> written) throws IOException {
    for (SegmentHandle segment : new HashSet<>(written)) {
      if (segment == null) {
        continue; // gone, which is found next
      }
      try {
        segment.checkWhole();
      } catch (CorruptOutputException e) {
        if (segment.info().tier() == Tier.MEMORY) {
          spoil(segment);
        }
        throw e;
      }
    }
  }

  private void spoil(SegmentHandle segment) {
    lock.lock();
    try {
      if (allocator.segment(segment.info().segmentId()) == segment) {
        allocator.memory().damaged(segment);
      }
    } finally {
      lock.unlock();
    }
  }

  /**
   * Checks the same as {@link #publish} will again, and sees to it that no other file takes the
   * place of what is registered meanwhile.
   */
  private void pinClaimed(Lease lease, CommittedOutput output) throws IOException {
    lock.lock();
    try {
      checkUsable(lease);
      CommittedOutput former = outputs.find(output.id());
      if (former == null || !former.identity().equals(output.identity())) {
        checkHeld(lease, output);
      }
      output.extents().forEach(extent -> holders.pin(extent.segment().segmentId()));
    } finally {
      lock.unlock();
    }
  }

  private void unpin(CommittedOutput output) {
    lock.lock();
    try {
      output.extents().forEach(extent -> holders.unpin(extent.segment().segmentId()));
      room.wake();
    } finally {
      lock.unlock();
    }
  }

  private BlockSet holder(Lease lease, Range range) {
    return lease.held().contains(range) ? lease.held() : allocator.quarantined();
  }

  private SegmentHandle handleOf(Extent extent) {
    return lookUp(extent.segment().segmentId());
  }

  private SegmentHandle lookUp(int segmentId) {
    lock.lock();
    try {
      return allocator.segment(segmentId);
    } finally {
      lock.unlock();
    }
  }

  private List<SegmentHandle> allSegments() {
    List<SegmentHandle> all = new ArrayList<>(allocator.memory().segments());
    all.addAll(allocator.disk().segments());
    return all;
  }

  /** What all leases and all copies hold. */
  private final class AllLeased implements Allocator.Leased {
    @Override
    public long bytes(Tier tier) {
      return leasedBytes.of(tier);
    }

    @Override
    public long copiesBytes() {
      return copies.bytes() + copyingBytes();
    }

    @Override
    public long copiesBytes(Owner owner) {
      boolean isCopying = copying != null && copying.owner().equals(owner);
      return copies.bytes(owner) + (isCopying ? copyingBytes() : 0);
    }

    @Override
    public boolean isServingOthers(Owner owner) {
      return leases.stream().anyMatch(lease -> !lease.owner().equals(owner))
          || outputs.hasOthers(owner);
    }
  }

  private void checkOpen() throws IOException {
    if (quiet) {
      throw new IOException("the spill store " + config.directory() + " is closed");
    }
  }

  private void checkUsableNow(Lease lease) throws IOException {
    lock.lock();
    try {
      checkUsable(lease);
    } finally {
      lock.unlock();
    }
  }

  private void checkUsable(Lease lease) throws IOException {
    checkOpen();
    lease.checkUsable();
  }
}
