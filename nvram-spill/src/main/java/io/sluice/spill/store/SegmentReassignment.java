package io.sluice.spill.store;

import io.sluice.rdma.memory.Closer;
import io.sluice.spill.segment.Owner;
import java.io.Closeable;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Chooses idle segments to take from their owners, so that another owner gets a new file instead. A
 * descriptor cannot be taken back, so no file ever serves two owners.
 *
 * <pre>
 *  OWNED ◄──► IDLE ── {@link #next} ──► being taken ── {@link #done} ──► missing, made again
 *             every block free          deregistered, closed, cut
 * </pre>
 *
 * <p>Unlike {@link PoolGrowth}, which says when there is to be one more segment, it makes room for
 * it. It knows nothing of threads.
 *
 * <p>Thread contract: guarded by the lock of the store. Ownership: a segment is its own from {@link
 * #next} until {@link #done}, or until it is closed. Failure: a segment that cannot be taken has no
 * owner meanwhile, and is tried again {@value #RETRY_PAUSE_MS} ms later.
 */
final class SegmentReassignment implements Closeable {
  /** A segment that somebody may still read is left alone for so long. */
  static final long HELD_IDLE_MS = 30_000;

  static final long RETRY_PAUSE_MS = 10_000;

  private static final Logger LOG = LoggerFactory.getLogger(SegmentReassignment.class);

  private final boolean possible;
  private final Owner own;
  private final MemoryTier memory;
  private final PoolGrowth growth;
  private final SegmentHold.Holders holders;
  private final LongSupplier nanoTime;
  private final List<SegmentHandle> staying = new ArrayList<>();
  private SegmentHandle underWay;
  private long failedNs;
  private long count;

  /**
   * With nothing taken.
   *
   * @param possible whether there may be several owners
   * @param own this process's user, whose tasks open files by name and are not counted as holders
   */
  SegmentReassignment(
      boolean possible,
      Owner own,
      MemoryTier memory,
      PoolGrowth growth,
      SegmentHold.Holders holders,
      LongSupplier nanoTime) {
    this.possible = possible;
    this.own = own;
    this.memory = memory;
    this.growth = growth;
    this.holders = holders;
    this.nanoTime = nanoTime;
  }

  /** Whether any segment may ever be taken. */
  boolean isPossible() {
    return possible;
  }

  /** Whether an owner that lacks room may soon get a segment of another. */
  boolean mayCome(Owner owner) {
    return possible
        && (underWay != null || isDue() || spoiled().isPresent() || victim(owner).isPresent());
  }

  /** Whether {@link #next} has one. */
  boolean isWanted() {
    return possible
        && underWay == null
        && (isDue() || spoiled().isPresent() || chosen().isPresent());
  }

  /** The segment to take now, which nobody is granted blocks of any more; null if none is. */
  SegmentHandle next() {
    if (!possible || underWay != null) {
      return null;
    }
    if (isDue()) {
      underWay = staying.remove(0);
    } else if (spoiled().isPresent()) {
      underWay = spoiled().get();
      memory.spoiled().remove(underWay);
    } else {
      underWay = chosen().orElse(null);
      if (underWay != null) {
        memory.remove(underWay);
      }
    }
    return underWay;
  }

  private boolean isDue() {
    return !staying.isEmpty()
        && nanoTime.getAsLong() - failedNs >= TimeUnit.MILLISECONDS.toNanos(RETRY_PAUSE_MS);
  }

  private Optional<SegmentHandle> spoiled() {
    return memory.spoiled().stream().filter(this::isUnpinned).findFirst();
  }

  private boolean isUnpinned(SegmentHandle segment) {
    return !holders.isPinned(segment.info().segmentId());
  }

  private Optional<SegmentHandle> chosen() {
    if (growth.mayCome()) {
      return Optional.empty(); // there is room for more, without taking anybody's
    }
    Optional<SegmentHandle> emptied =
        memory
            .leaving()
            .filter(memory.idle()::contains)
            .filter(this::isUnpinned)
            .filter(this::mayGo);
    if (emptied.isPresent()) {
      return emptied;
    }
    for (Owner owner : growth.lacking()) {
      Optional<SegmentHandle> victim = victim(owner);
      if (victim.isPresent()) {
        return victim;
      }
    }
    boolean ahead = memory.ownerCount() > 1 && memory.nobodysBytes() == 0;
    return ahead
        ? memory.idle().stream().filter(this::isUnpinned).filter(this::isUnheld).findFirst()
        : Optional.empty();
  }

  /**
   * One that an owner can get: the longest idle, of those that nobody has open if there are any.
   */
  private Optional<SegmentHandle> victim(Owner owner) {
    return memory.idle().stream()
        .filter(segment -> !segment.owner().equals(owner))
        .filter(this::isUnpinned)
        .filter(this::mayGo)
        .min(Comparator.comparing((SegmentHandle segment) -> !isUnheld(segment)));
  }

  private boolean mayGo(SegmentHandle segment) {
    return isUnheld(segment) || memory.idleNs(segment) >= heldNs();
  }

  private boolean isUnheld(SegmentHandle segment) {
    return !segment.owner().equals(own) && !holders.hold(segment.info().segmentId());
  }

  private static long heldNs() {
    return TimeUnit.MILLISECONDS.toNanos(HELD_IDLE_MS);
  }

  /** The segment was taken; its id is missing from now on. */
  void done(SegmentHandle segment) {
    underWay = null;
    count++;
    holders.forget(segment.info().segmentId());
    growth.returned(segment.info().segmentId());
  }

  /** It could not be taken. */
  void failed(SegmentHandle segment, Throwable cause) {
    LOG.warn("{} cannot be taken from its owner yet", segment.info(), cause);
    underWay = null;
    staying.add(segment);
    failedNs = nanoTime.getAsLong();
  }

  /** How many were taken. */
  long count() {
    return count;
  }

  /** Closes what could not be taken. */
  @Override
  public void close() throws IOException {
    Closer.all(staying);
    staying.clear();
  }
}
