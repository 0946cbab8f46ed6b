package io.sluice.spill.store;

import io.sluice.rdma.memory.Closer;
import io.sluice.rdma.threads.SafeLog;
import io.sluice.spill.format.OutputId;
import io.sluice.spill.segment.Owner;
import java.io.IOException;
import java.util.ArrayDeque;
import java.util.Comparator;
import java.util.Deque;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;
import java.util.stream.Stream;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Chooses a segment to empty for an owner that lacks room although memory is free: the free memory
 * lies between the bytes of others. The outputs in the segment leave for the disk tier, one after
 * the other, and then the segment goes over to the owner ({@link SegmentReassignment}).
 *
 * <pre>
 *  OWNED ── little is ──► leaving ── no block ──► its outputs ── all on ──► idle ──► handed
 *    ▲      leased        nothing is  leased        leave          disk              over
 *    │                    granted │                 │
 *    └────────────────────────────┴─────────────────┘ {@value #LONGEST_MS} ms have passed in one
 *                                                     of these, or one could not be moved
 * </pre>
 *
 * <p>A segment without leases comes first. In a segment with few leased bytes nothing more is
 * granted, so that it is empty when its leases end; its outputs stay until then.
 *
 * <p>Nobody waits for it: the task that lacked room has written to disk by then, and the next one
 * has the room. A segment is taken only from an owner that has at least two segments more than the
 * owner that gets it. So two owners never take from each other in turns: each time they are more
 * alike. A segment that was tried in vain is tried again after all others, or when its leases have
 * been given back.
 *
 * <p>Thread contract: guarded by the lock of the store, but for {@link Content#moveToDisk}, which
 * {@link Emptier} calls. Ownership: nothing to close. Failure: the segment stays its owner's, and
 * none is emptied for {@value #PAUSE_MS} ms.
 */
final class Emptying {
  static final long PAUSE_MS = 10_000;
  static final long LONGEST_MS = 60_000;

  /** Of a segment, what is little. */
  private static final int LITTLE_PART = 8;

  private static final Logger LOG = LoggerFactory.getLogger(Emptying.class);

  private final boolean possible;
  private final MemoryTier memory;
  private final Content content;
  private final LongSupplier nanoTime;
  private final Deque<CommittedOutput> left = new ArrayDeque<>();
  private Owner lacking; // null: nobody
  private SegmentHandle segment; // null: none
  private Owner gets; // that one, when it is empty
  private boolean leaves; // its outputs do; else its leases are to end first
  private long sinceNs; // of what is emptied, or of the failure
  private boolean paused;
  private final Set<Integer> unmovable = new HashSet<>(); // segments, since one was emptied
  private final Set<Integer> longLeased = new HashSet<>(); // the same

  /** Tells what lies in segments. */
  interface Content {
    /** Bytes that are leased there. */
    long leasedBytes(SegmentHandle segment);

    /** Whether a task of before a restart may be writing there. */
    boolean isQuarantined(SegmentHandle segment);

    /** The outputs that lie there, all or in part. */
    List<CommittedOutput> outputs(int segmentId);

    /** An output as it lies now, if something of it lies there: some may have left. */
    Optional<CommittedOutput> stillIn(int segmentId, OutputId id);

    /** Grants what outputs have left there. */
    void reuseFormer(int segmentId) throws IOException;

    /** Alone under no lock: lays an output on the disk tier. */
    void moveToDisk(CommittedOutput output) throws IOException;
  }

  /**
   * With nothing emptied.
   *
   * @param possible whether there may be several owners, and a disk tier
   * @param nanoTime a clock as {@link System#nanoTime} is one
   */
  Emptying(boolean possible, MemoryTier memory, Content content, LongSupplier nanoTime) {
    this.possible = possible;
    this.memory = memory;
    this.content = content;
    this.nanoTime = nanoTime;
  }

  /** An owner has found no room, and no segment is idle. */
  void lacked(Owner owner) {
    if (possible && !isPausing()) {
      lacking = owner;
    }
  }

  private boolean isPausing() {
    paused &= !hasPassed(PAUSE_MS);
    return paused;
  }

  private boolean hasPassed(long ms) {
    return nanoTime.getAsLong() - sinceNs >= TimeUnit.MILLISECONDS.toNanos(ms);
  }

  /** Whether {@link #next} has something to do. */
  boolean isWanted() {
    return lacking != null || segment != null && (!left.isEmpty() || !isWaiting());
  }

  /**
   * Whether what is emptied is empty, and is handed over when nobody may be reading it, or is empty
   * when its leases end.
   */
  private boolean isWaiting() {
    return !hasPassed(LONGEST_MS) && (memory.idle().contains(segment) || mayAwaitLeases());
  }

  private boolean mayAwaitLeases() {
    return !leaves && content.leasedBytes(segment) > 0 && mayLose(segment.owner(), gets);
  }

  /** The output to move now; null if there is none. */
  CommittedOutput next() {
    if (segment != null && memory.segment(segment.info().segmentId()) != segment) {
      unmovable.clear();
      longLeased.clear();
      forget(); // it has gone over, or is damaged
    }
    if (segment != null && !leaves && lacking != null && isAnyUnleased(lacking)) {
      stay(); // that one is to be had sooner
    }
    if (segment == null && lacking != null) {
      victim(lacking).ifPresent(victim -> begin(victim, lacking));
      lacking = null;
    }
    if (segment == null) {
      return null;
    }
    if (!leaves && content.leasedBytes(segment) == 0) {
      beginToLeave();
    }
    while (!left.isEmpty() && !hasPassed(LONGEST_MS) && mayLose(segment.owner(), gets)) {
      Optional<CommittedOutput> output =
          content.stillIn(segment.info().segmentId(), left.remove().id());
      if (output.isPresent()) {
        return output.get();
      }
    }
    finish();
    return null;
  }

  /** Else the two would take from each other in turns. */
  private boolean mayLose(Owner has, Owner owner) {
    return memory.segmentsOf(has) >= memory.segmentsOf(owner) + 2;
  }

  /** The segment to empty: of the owner with most segments, the one with fewest bytes to move. */
  private Optional<SegmentHandle> victim(Owner owner) {
    if (untried(owner).findAny().isEmpty()) {
      victims(owner).map(each -> each.info().segmentId()).forEach(this::tryAgain);
    }
    return untried(owner)
        .min(
            Comparator.comparing((SegmentHandle each) -> content.leasedBytes(each) > 0)
                .thenComparing(each -> -memory.segmentsOf(each.owner()))
                .thenComparing(each -> -memory.freeBytesIn(each)));
  }

  private boolean isAnyUnleased(Owner owner) {
    return untried(owner).anyMatch(each -> content.leasedBytes(each) == 0);
  }

  /** Those that were not tried in vain, or whose leases have ended meanwhile. */
  private Stream<SegmentHandle> untried(Owner owner) {
    return victims(owner)
        .filter(each -> !unmovable.contains(each.info().segmentId()))
        .filter(
            each ->
                !longLeased.contains(each.info().segmentId()) || content.leasedBytes(each) == 0);
  }

  private void tryAgain(int segmentId) {
    unmovable.remove(segmentId);
    longLeased.remove(segmentId);
  }

  private Stream<SegmentHandle> victims(Owner owner) {
    return memory.segments().stream()
        .filter(each -> mayLose(each.owner(), owner))
        .filter(each -> content.leasedBytes(each) <= each.lengthBytes() / LITTLE_PART)
        .filter(each -> !content.isQuarantined(each));
  }

  private void begin(SegmentHandle victim, Owner owner) {
    segment = victim;
    gets = owner;
    sinceNs = nanoTime.getAsLong();
    memory.beginLeaving(victim, owner);
  }

  private void beginToLeave() {
    leaves = true;
    sinceNs = nanoTime.getAsLong();
    left.addAll(content.outputs(segment.info().segmentId()));
  }

  /** Nothing is left to be moved, or may be yet. */
  private void finish() {
    if (leaves) {
      try {
        content.reuseFormer(segment.info().segmentId());
      } catch (IOException e) {
        failed(e);
        return;
      }
    }
    if (!isWaiting()) {
      int segmentId = segment.info().segmentId();
      stay(); // first: there may be no memory to remember it
      longLeased.add(segmentId);
    }
  }

  /** An output could not be moved, or none be chosen. */
  void failed(Throwable cause) {
    SegmentHandle staying = segment;
    sinceNs = nanoTime.getAsLong();
    paused = true;
    lacking = null;
    stay(); // first, as above
    if (staying != null) {
      unmovable.add(staying.info().segmentId());
    }
    SafeLog.warn(
        LOG,
        "{} cannot be emptied, and stays its owner's for now",
        staying == null ? "A segment" : staying.info(),
        cause);
  }

  private void stay() {
    memory.endLeaving();
    forget();
  }

  private void forget() {
    segment = null;
    leaves = false;
    left.clear();
  }

  /**
   * Tells {@link Emptying} what lies in the segments of a store.
   *
   * <p>Thread contract: guarded by the lock of the store, but for {@link #moveToDisk}.
   */
  static final class SegmentContent implements Emptying.Content {
    private final StoreState state;
    private final RelocationOperations relocations;

    SegmentContent(StoreState state, RelocationOperations relocations) {
      this.state = state;
      this.relocations = relocations;
    }

    @Override
    public long leasedBytes(SegmentHandle segment) {
      return state.leased.bytesIn(segment.info().segmentId());
    }

    @Override
    public boolean isQuarantined(SegmentHandle segment) {
      return !state.allocator.quarantined().isDisjoint(segment.range());
    }

    @Override
    public List<CommittedOutput> outputs(int segmentId) {
      return state.outputs.in(segmentId);
    }

    @Override
    public Optional<CommittedOutput> stillIn(int segmentId, OutputId id) {
      return Optional.ofNullable(state.outputs.find(id))
          .filter(now -> now.location().liesIn(segmentId));
    }

    @Override
    public void reuseFormer(int segmentId) throws IOException {
      Closer closer = new Closer();
      for (OutputLocation location :
          state.staleExtents.takeIn(segmentId)) { // in memory: none deleted
        closer.run(() -> state.free(location.extents(), new DeferredRelease()));
      }
      closer.finish(DeferredRelease.NOT_ALL);
    }

    @Override
    public void moveToDisk(CommittedOutput output) throws IOException {
      relocations.moveToDisk(output, Long.MAX_VALUE, () -> Long.MAX_VALUE, () -> false);
    }
  }
}
