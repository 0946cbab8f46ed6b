package io.sluice.spill.store;

import io.sluice.rdma.memory.Closer;
import io.sluice.spill.disk.DeviceFile;
import io.sluice.spill.disk.DeviceStats;
import io.sluice.spill.disk.IoClass;
import io.sluice.spill.format.CorruptOutputException;
import io.sluice.spill.format.OutputId;
import io.sluice.spill.segment.Owner;
import io.sluice.spill.segment.PoolPaths;
import io.sluice.spill.segment.Range;
import io.sluice.spill.segment.SegmentInfo;
import io.sluice.spill.store.Emptying.SegmentContent;
import io.sluice.spill.store.EvictionOrder.OutputsInMemory;
import io.sluice.spill.store.PoolHeader.OtherFormatException;
import io.sluice.spill.store.StoreFullException.HeapShareException;
import io.sluice.spill.store.StoreStats.ApplicationUse;
import java.io.Closeable;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.Set;
import java.util.UUID;
import java.util.function.BooleanSupplier;
import java.util.function.LongSupplier;
import java.util.function.Predicate;

/**
 * The spill store of a node: owns the pool, leases extents to writers, checks and publishes what
 * they commit, finds it for readers, and frees it with its application. Tasks do not use this
 * class; they write through an {@link io.sluice.spill.writer.OutputWriter} over a connection to it.
 *
 * <p>This class is the way in. {@link StoreState} holds the lock and what it guards, and one class
 * does each part of the work:
 *
 * <ul>
 *   <li>{@link LeaseOperations}: leases, blocks granted and given back
 *   <li>{@link CommitOperations}: checks an output and publishes it
 *   <li>{@link RelocationOperations}: moves outputs to disk, and copies them there
 *   <li>{@link FreeOperations}: frees outputs
 *   <li>{@link RecoveryOperations}: takes over the segments and outputs of a former store
 *   <li>{@link Quarantine}: reviews blocks that tasks of a former store may still write to
 * </ul>
 *
 * <p>Thread contract: safe from any thread; one lock guards all of the state, and no listener is
 * called under it. Ownership: the service that opens it closes it after everything that reads from
 * its segments. Failure: {@link StoreFullException} when no tier has room, {@link
 * CorruptOutputException} when a commit does not hold what it says, {@link IOException} of the file
 * systems; a failed call changes nothing.
 */
public final class SpillStore implements Closeable {
  /** How long its end waits for files that are being made: longer than a disk has for one. */
  private static final long CLOSE_MS = 60_000;

  /**
   * How much of an output moves at a time: half a second of a slow disk, many times a mark's cost.
   */
  public static final long PART_BYTES = 8L << 20;

  private final StoreState state;
  private final FreeOperations frees;
  private final CopyEviction eviction;
  private final LeaseOperations leases;
  private final RelocationOperations relocations;
  private final StoreStats.Cached<StoreStats> stats;
  private final StoreStats.Cached<List<ApplicationUse>> uses;
  private boolean closed; // guarded by the lock

  private SpillStore(StoreConfig config, PoolFiles files, LongSupplier nanoTime)
      throws IOException {
    this.state = new StoreState(config, files, nanoTime, this::copyToDisk);
    CommitMarks marks = new CommitMarks(state.allocator, files);
    ReleaseOperations releases = new ReleaseOperations(state, marks);
    Quarantine quarantine = new Quarantine(state, marks, releases);
    this.frees = new FreeOperations(state, marks, releases, quarantine);
    this.eviction = new CopyEviction(state, releases);
    CommitOperations commits = new CommitOperations(state, marks, releases, frees);
    this.leases = new LeaseOperations(state, releases, quarantine, eviction, commits);
    CopyWriter writer = new CopyWriter(state, leases, eviction);
    this.relocations = new RelocationOperations(state, marks, releases, writer);
    RecoveryOperations recovery = new RecoveryOperations(state, marks, releases, quarantine);
    try {
      recovery.recover(new SegmentContent(state, relocations));
    } catch (IOException | RuntimeException | Error e) {
      state.allocator.close();
      throw e;
    }
    this.stats = new StoreStats.Cached<>(state.lock, state::stats);
    this.uses = new StoreStats.Cached<>(state.lock, state.outputs::uses);
  }

  /**
   * Opens a pool: recovers what lies there if the configuration says so, else empties it.
   *
   * @throws IOException if the directory is in use, somebody else's, or of another geometry
   */
  public static SpillStore open(StoreConfig config) throws IOException {
    return open(config, PoolSpace::open);
  }

  /**
   * The segment length of a pool that is not open, which must not be opened with another length.
   * Empty if the directory holds no pool of this release in files: none on huge pages or a device.
   *
   * @throws IOException if the directory cannot be read, or the pool's header is damaged
   */
  public static OptionalInt segmentBytesAt(Path directory) throws IOException {
    try {
      return PoolHeader.read(directory).stream().mapToInt(PoolHeader::segmentBytes).findFirst();
    } catch (OtherFormatException e) {
      return OptionalInt.empty(); // the store that opens it empties it
    }
  }

  static SpillStore open(StoreConfig config, PoolSpace.Opener opener) throws IOException {
    return open(config, opener, System::nanoTime);
  }

  /** The same with another clock than {@link System#nanoTime}. */
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
      store.state.memorySpace.start();
      if (config.copiesOutputs()) {
        store.state.copier.start();
      }
      return store;
    } catch (RuntimeException | Error e) { // a thread that was started must not outlive the files
      Closer.after(e, store);
      throw e;
    }
  }

  /** The name of this pool, which its outputs carry at their ends and readers ask for. */
  public UUID poolId() {
    return state.files.poolId();
  }

  /** The directories of its segments. */
  public PoolPaths paths() {
    return PoolPaths.owned(
        poolId(), state.files.owner(), state.config.directory(), state.config.diskDirectories());
  }

  /** All segments that exist now. */
  public List<SegmentInfo> segments() {
    return state.locked(() -> state.allSegments().stream().map(SegmentHandle::info).toList());
  }

  /** An open segment, for a transport to register. */
  public Optional<SegmentHandle> segment(int segmentId) {
    return Optional.ofNullable(state.lookUp(segmentId));
  }

  /** Opens a lease for one task of this process's user. */
  public Lease openLease(String applicationId) throws IOException {
    return openLease(applicationId, state.files.owner());
  }

  /**
   * Opens a lease for one task of that owner, which writes what it sorted.
   *
   * @throws IllegalArgumentException if the store is not {@link StoreConfig#shared}
   */
  public Lease openLease(String applicationId, Owner owner) throws IOException {
    return openLease(applicationId, owner, IoClass.WRITE_SORT);
  }

  /** The same for a task that writes to the disk tier in that class. */
  public Lease openLease(String applicationId, Owner owner, IoClass ioClass) throws IOException {
    return leases.open(applicationId, owner, ioClass);
  }

  /**
   * Checks that a task of that owner will be able to keep what it writes: one that can use another
   * shuffle does so before it begins.
   *
   * @throws HeapShareException if the owner's outputs and files leave no heap for more
   */
  public void checkTakesOutputs(Owner owner) throws HeapShareException {
    leases.checkTakesOutputs(owner);
  }

  /**
   * Counts a session of an owner that is sent a segment. Empty if the segment does not exist in
   * this incarnation, or is another owner's. The caller closes what it gets.
   */
  public Optional<SegmentHold> hold(Owner owner, int segmentId, int incarnation) {
    return SegmentHold.begin(state, owner, segmentId, incarnation);
  }

  /** The committed output of that name. */
  public Optional<CommittedOutput> find(OutputId id) {
    return state.find(id);
  }

  /** The committed outputs of an application, in no order. */
  public List<CommittedOutput> outputs(String applicationId) {
    return state.locked(() -> state.outputs.of(applicationId));
  }

  /** Applications that have committed outputs. */
  public Set<String> applications() {
    return state.locked(() -> state.outputs.applications());
  }

  /**
   * Bytes that the outputs of each application hold, in no order; see {@link StoreStats.Cached}.
   */
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
    frees.freeApplication(applicationId);
  }

  /** Frees those outputs of an application whose ids begin like this; the application goes on. */
  public void freeOutputs(String applicationId, String outputIdPrefix) throws IOException {
    freeOutputs(applicationId, outputId -> outputId.startsWith(outputIdPrefix));
  }

  /** Frees the outputs of an application of which this holds for the output's id. */
  public void freeOutputs(String applicationId, Predicate<String> areFreed) throws IOException {
    frees.freeOutputs(applicationId, areFreed);
  }

  /** Frees one output, if it is here. */
  public void freeOutput(OutputId id) throws IOException {
    frees.freeOutput(id);
  }

  /**
   * The outputs of an application that lie in the memory tier, in the order in which they should
   * leave it, see {@link EvictionOrder}. Each is looked for when it is asked for. The iterator is
   * for one thread.
   */
  public Iterator<CommittedOutput> outputsInMemory(String applicationId) {
    return new OutputsInMemory(state.lock, state.outputs, applicationId);
  }

  /**
   * Moves an output to the disk tier while it is read; it exists all the time. If it has a copy
   * there, nothing is written. Its blocks in memory are granted again at once if no reader was told
   * of them, else when they are wanted.
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
   * The same, from its end on, in parts of about {@link #PART_BYTES}. Each part has a location of
   * its own as soon as it is written, so a lease that waits gets memory before all has left. An
   * output that readers were told of leaves at once: they have to ask only once.
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
    return relocations.moveToDisk(output, partBytes, wantedBytes, isAwaited);
  }

  /** Has a copy of an output made now, as {@link RelocationOperations#copyToDisk} does. */
  void copyToDisk(CommittedOutput output) throws IOException {
    relocations.copyToDisk(output);
  }

  /** Gives up copies, as {@link CopyEviction#evict} does. */
  boolean dropCopies(long bytes, long waitMs) throws IOException {
    return eviction.evict(bytes, waitMs);
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
   * @return whether the output has left its location; false if it has no copy that is right
   * @throws IOException if the copy cannot be looked at
   */
  public boolean replaceByCopy(CommittedOutput output, Check check) throws IOException {
    return relocations.replaceByCopy(output, check);
  }

  /** A reader was told of these ranges of the disk tier, and may come for them in this order. */
  public void expectReads(List<Range> told) {
    List<DeviceFile.PlannedRange> planned = new ArrayList<>();
    for (Range range : told) {
      if (state.lookUp(range.segmentId()) instanceof DiskSegment segment) {
        planned.add(segment.plannedRange(range));
      }
    }
    DeviceFile.plan(planned);
  }

  /** Counters of the devices of the disk tier that were used. */
  public List<DeviceStats> deviceStats() {
    return state.allocator.disk().deviceStats(); // which has a lock of its own
  }

  /** Bytes that are leased on the disk tier and not written yet; guarded by the lock. */
  ReservedDiskBytes promised() {
    return state.allocator.disk().promised();
  }

  /** How full it is; see {@link StoreStats.Cached}. */
  public StoreStats stats() {
    return stats.now();
  }

  /**
   * Stops granting, freeing and publishing, before the connections of tasks are closed: tasks that
   * outlive this store must find what they had leased in the quarantine of its successor.
   */
  public void quiesce() {
    state.lock.lock(); // without a lambda: there may be no memory for one
    try {
      state.quiet = true;
      state.copier.stop();
      state.memorySpace.end();
    } finally {
      state.lock.unlock();
    }
  }

  /** Whether it was told to stop; what fails from then on is no fault of the caller. */
  public boolean isQuiet() {
    return state.isQuiet();
  }

  /** Unmaps and unlocks; what is committed or leased stays on the medium. Idempotent. */
  @Override
  public void close() throws IOException {
    quiesce();
    if (!state.diskSpace.awaitEnd(CLOSE_MS)) {
      throw new IOException("files are still being made on disk after " + CLOSE_MS + " ms");
    }
    state.memorySpace
        .stop(); // if it cannot be stopped, nobody else may have the pool: close it again then
    state.lock.lock();
    try {
      if (closed) {
        return;
      }
      closed = true;
    } finally {
      state.lock.unlock();
    }
    Closer.all(state.announced, this::closeSegments, state.copier::awaitEnd, state.files);
  }

  private void closeSegments() throws IOException {
    state.whileLocked(() -> Closer.all(state.allocator::close, state.memorySpace));
  }
}
