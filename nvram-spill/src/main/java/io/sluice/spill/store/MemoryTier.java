package io.sluice.spill.store;

import io.sluice.rdma.memory.Closer;
import io.sluice.spill.segment.Extent;
import io.sluice.spill.segment.Owner;
import io.sluice.spill.segment.Range;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.SortedMap;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The segments of the pool directory, whose they are, and which of their blocks are free. Unlike
 * the {@link DiskTier} it reuses its files, each for its owner. Another owner gets a segment that
 * has no owner yet. {@link SegmentShares} says how many each may have.
 *
 * <p>Thread contract: guarded by the lock of the store, which also closes it.
 */
final class MemoryTier {
  /** So long a segment is left alone that could not be claimed. */
  static final long CLAIM_PAUSE_MS = 10_000;

  /** So long a segment that was emptied is kept for the owner for whom that was done. */
  static final long RESERVED_MS = 30_000;

  private static final Logger LOG = LoggerFactory.getLogger(MemoryTier.class);
  private final SortedMap<Integer, SegmentHandle> segments = new TreeMap<>();
  private final Map<Owner, BlockSet> free = new HashMap<>(); // of each owner's segments
  private final SegmentShares shares;
  private final SortedSet<Integer> nobodys = new TreeSet<>();
  private final Set<Integer> unclaimed = new TreeSet<>(); // nobody's, but not to be had for now
  private final Map<SegmentHandle, Long> idleSinceNs = new LinkedHashMap<>(); // longest first
  private SegmentHandle leaving; // null: none
  private BlockSet leavingFree; // of that one, not to be granted
  private Owner reservedFor; // null: nobody
  private long reservedSinceNs;
  private final Set<SegmentHandle> damaged = new HashSet<>();
  private final List<SegmentHandle> spoiled = new ArrayList<>(); // damaged and idle
  private long damages;
  private long failedClaims;
  private long claimFailedNs;
  private final int segmentBytes;
  private final int blockBytes;
  private final LeaseMarks leaseMarks;
  private final Claims claims;
  private final LongSupplier nanoTime;

  /** Gives an owner to a segment that has none. */
  interface Claims {
    /** As {@link PoolSpace#claim}. */
    SegmentHandle claim(int segmentId, Owner owner) throws IOException;
  }

  /**
   * Without segments.
   *
   * @param nanoTime a clock as {@link System#nanoTime} is one
   */
  MemoryTier(StoreConfig config, LeaseMarks leaseMarks, Claims claims, LongSupplier nanoTime) {
    this.segmentBytes = config.segmentBytes();
    this.blockBytes = config.blockBytes();
    this.shares =
        new SegmentShares(
            (int) (config.memoryCapacityBytes() / config.segmentBytes()),
            config.shared() && !config.diskDirectories().isEmpty());
    this.leaseMarks = leaseMarks;
    this.claims = claims;
    this.nanoTime = nanoTime;
  }

  /** Adds a segment that has no free blocks yet. */
  void add(SegmentHandle segment) {
    segments.put(segment.info().segmentId(), segment);
    shares.add(segment.owner());
  }

  /**
   * Adds a new segment, whose marks say already that its blocks are free: so they have their space,
   * and granting a block meets no full file system.
   */
  void addFree(SegmentHandle segment) {
    add(segment);
    addFree(segment, segment.range());
  }

  /** Adds a new segment without an owner, whose marks say already that its blocks are free. */
  void addNobodys(int segmentId) {
    nobodys.add(segmentId);
  }

  /** Takes away a segment that is idle. */
  void remove(SegmentHandle segment) {
    freeOf(segment).remove(segment.range());
    if (segment == leaving) {
      leaving = null;
      reservedSinceNs = nanoTime.getAsLong();
    }
    boolean wasIdle = idleSinceNs.remove(segment) != null;
    segments.remove(segment.info().segmentId());
    if (shares.remove(segment.owner(), wasIdle)) {
      free.remove(segment.owner());
    }
  }

  /** Of all segments of an owner; never beside the bytes of another owner. */
  private BlockSet freeOf(Owner owner) {
    return free.computeIfAbsent(owner, unknown -> new BlockSet(blockBytes));
  }

  private BlockSet freeOf(SegmentHandle segment) {
    return segment == leaving ? leavingFree : freeOf(segment.owner());
  }

  /** Nothing of a segment is granted from now on; once it has gone over, another owner gets it. */
  void beginLeaving(SegmentHandle segment, Owner gets) {
    reservedFor = gets;
    leavingFree = new BlockSet(blockBytes);
    moveFree(freeOf(segment.owner()), leavingFree, segment);
    leaving = segment;
  }

  /** It stays its owner's. */
  void endLeaving() {
    reservedFor = null;
    if (leaving != null) { // else it has gone for another reason
      SegmentHandle staying = leaving;
      leaving = null;
      moveFree(leavingFree, freeOf(staying.owner()), staying);
    }
  }

  private static void moveFree(BlockSet from, BlockSet to, SegmentHandle segment) {
    for (Range range : from.ranges(segment.info().segmentId())) {
      from.remove(range);
      to.add(range);
    }
  }

  /** The one that is to go over when it is empty. */
  Optional<SegmentHandle> leaving() {
    return Optional.ofNullable(leaving);
  }

  /** How much of a segment is free. */
  long freeBytesIn(SegmentHandle segment) {
    return freeOf(segment).bytesOf(segment.info().segmentId());
  }

  /** How many segments an owner has. */
  int segmentsOf(Owner owner) {
    return shares.of(owner);
  }

  /** How many each owner has, if any. */
  Map<Owner, Long> segmentsOfOwners() {
    return shares.all();
  }

  /** Segments that have no block in use, the longest idle first. */
  Set<SegmentHandle> idle() {
    return Collections.unmodifiableSet(idleSinceNs.keySet());
  }

  /** How long one of these has been idle. */
  long idleNs(SegmentHandle segment) {
    return nanoTime.getAsLong() - idleSinceNs.get(segment);
  }

  /** How many owners have segments. */
  int ownerCount() {
    return shares.ownerCount();
  }

  /** Bytes of the segments without an owner. */
  long nobodysBytes() {
    return (long) nobodys.size() * segmentBytes;
  }

  /** Whether there is a segment with that id, be it anybody's. */
  boolean has(int segmentId) {
    return segments.containsKey(segmentId)
        || nobodys.contains(segmentId)
        || unclaimed.contains(segmentId);
  }

  Collection<SegmentHandle> segments() {
    return Collections.unmodifiableCollection(segments.values());
  }

  SegmentHandle segment(int segmentId) {
    return segments.get(segmentId);
  }

  void free(Range range) throws IOException {
    try {
      leaseMarks.freed(range);
    } finally {
      // A mark that stays costs room after the next restart, and nothing else.
      addFree(segments.get(range.segmentId()), range);
    }
  }

  private void addFree(SegmentHandle segment, Range range) {
    BlockSet freeBeside = freeOf(segment);
    freeBeside.add(range);
    if (freeBeside.contains(segment.range())) {
      idleSinceNs.put(segment, nanoTime.getAsLong());
      shares.becomesIdle(segment.owner());
      spoilIfDamaged(segment);
    }
  }

  /** Its owner has cut it or made it longer, or it cannot be read: it is not used again. */
  void damaged(SegmentHandle segment) {
    if (damaged.add(segment)) {
      damages++;
    }
    if (idleSinceNs.containsKey(segment)) {
      spoil(segment);
    }
  }

  private void spoilIfDamaged(SegmentHandle segment) {
    boolean whole;
    try {
      whole = segment.isWhole();
    } catch (IOException e) {
      LOG.warn("{} cannot be looked at, and is not used again", segment.info(), e);
      whole = false;
    }
    if (!whole && damaged.add(segment)) {
      LOG.warn("{} has another length, and is not used again", segment.info());
      damages++;
    }
    if (damaged.contains(segment)) {
      spoil(segment);
    }
  }

  private void spoil(SegmentHandle segment) {
    remove(segment);
    damaged.remove(segment);
    spoiled.add(segment);
  }

  /** Damaged segments that nobody uses; the caller that takes one closes it. */
  List<SegmentHandle> spoiled() {
    return spoiled;
  }

  /** How many were damaged so far. */
  long damages() {
    return damages;
  }

  /** The parts of {@code range} that no former store had granted. */
  List<Range> neverGranted(Range range) throws IOException {
    return leaseMarks.notGranted(range);
  }

  boolean hasRoom(Owner owner, long lengthBytes, boolean contiguous) {
    return hasRoom(owner, lengthBytes, contiguous, false);
  }

  /** The same, as {@link #take} would find it. */
  boolean hasRoom(Owner owner, long lengthBytes, boolean contiguous, boolean last) {
    BlockSet own = freeOf(owner);
    int claimable = claimable(owner, last);
    return contiguous
        ? own.bestFit(lengthBytes).isPresent() || claimable > 0 && lengthBytes <= segmentBytes
        : own.bytes() + (long) claimable * segmentBytes >= lengthBytes;
  }

  /** How many of the segments without an owner this owner can get. */
  private int claimable(Owner owner, boolean last) {
    boolean kept =
        reservedFor != null
            && !reservedFor.equals(owner)
            && nanoTime.getAsLong() - reservedSinceNs < TimeUnit.MILLISECONDS.toNanos(RESERVED_MS);
    int free = nobodys.size() - (kept && leaving == null ? 1 : 0);
    return Math.max(0, Math.min(free, shares.mostMore(owner, last)));
  }

  /** How many more segments an owner may have, whether there are any or not. */
  int mayHave(Owner owner, boolean last) {
    return Math.max(0, shares.mostMore(owner, last));
  }

  /** Whether it may have more than it can get now, so that new segments would help it. */
  boolean mayGetFurther(Owner owner, boolean last) {
    return shares.mostMore(owner, last) > claimable(owner, last);
  }

  List<Extent> take(Owner owner, long lengthBytes, boolean contiguous) throws IOException {
    return take(owner, lengthBytes, contiguous, false);
  }

  /**
   * Takes as much as there is for an owner of {@code lengthBytes}, in as few pieces as can be; all
   * or nothing if it must be contiguous. A segment that cannot be claimed is as if it were not
   * there, for {@value #CLAIM_PAUSE_MS} ms. Failure: that of a mark; nothing is taken then.
   *
   * @param last whether it would have nothing otherwise: what is kept for others would then help
   *     nobody
   */
  List<Extent> take(Owner owner, long lengthBytes, boolean contiguous, boolean last)
      throws IOException {
    List<Extent> taken = new ArrayList<>();
    BlockSet own = freeOf(owner);
    retryClaims();
    try {
      for (long leftBytes = lengthBytes; leftBytes > 0; ) {
        Optional<Range> piece = own.bestFit(leftBytes);
        boolean lacks = contiguous ? leftBytes <= segmentBytes : own.bytes() < leftBytes;
        if (piece.isEmpty() && lacks && claimable(owner, last) > 0) {
          claim(owner);
          continue;
        }
        if (piece.isEmpty() && !contiguous) {
          piece = own.longest();
        }
        if (piece.isEmpty()) {
          break;
        }
        SegmentHandle segment = segments.get(piece.get().segmentId());
        Extent extent = segment.extent(piece.get());
        leaseMarks.granted(piece.get());
        taken.add(extent);
        own.remove(piece.get());
        if (idleSinceNs.remove(segment) != null) {
          shares.becomesBusy(owner);
        }
        leftBytes -= piece.get().lengthBytes();
      }
      return taken;
    } catch (IOException | RuntimeException | Error e) {
      Closer.after(e, () -> giveBack(taken));
      throw e;
    }
  }

  private void claim(Owner owner) {
    if (owner.equals(reservedFor)) {
      reservedFor = null;
    }
    int segmentId = nobodys.first();
    nobodys.remove(segmentId);
    unclaimed.add(segmentId); // whatever fails, it is not forgotten
    try {
      SegmentHandle claimed = claims.claim(segmentId, owner);
      unclaimed.remove(segmentId);
      addFree(claimed);
    } catch (IOException | RuntimeException e) {
      LOG.warn("Segment {} cannot be made user id {}'s; others are granted", segmentId, owner, e);
      failedClaims++;
      claimFailedNs = nanoTime.getAsLong();
    }
  }

  /** Those that could not be claimed may be after a while. */
  private void retryClaims() {
    long pauseNs = TimeUnit.MILLISECONDS.toNanos(CLAIM_PAUSE_MS);
    if (!unclaimed.isEmpty() && nanoTime.getAsLong() - claimFailedNs >= pauseNs) {
      nobodys.addAll(unclaimed);
      unclaimed.clear();
    }
  }

  /** How often a segment could not be claimed. */
  long failedClaims() {
    return failedClaims;
  }

  /** Frees what was just taken, all of it whatever fails, and empties the list. */
  void giveBack(List<Extent> taken) throws IOException {
    Closer closer = new Closer();
    taken.forEach(extent -> closer.run(() -> free(extent.range())));
    taken.clear();
    closer.finish(DeferredRelease.NOT_ALL);
  }

  long freeBytes() {
    return free.values().stream().mapToLong(BlockSet::bytes).sum() + nobodysBytes();
  }

  long createdBytes() {
    return segments.values().stream().mapToLong(SegmentHandle::lengthBytes).sum() + nobodysBytes();
  }

  void close() throws IOException {
    List<SegmentHandle> all = new ArrayList<>(segments.values());
    all.addAll(spoiled);
    Closer.all(all);
    spoiled.clear();
    segments.clear();
    idleSinceNs.clear();
  }
}
