package io.sluice.spill.store;

import io.sluice.spill.segment.Owner;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;

/**
 * Decides when the memory tier gets its next segment: all of them at once, or as they are needed,
 * one ahead. A segment is needed when a lease waits for room. One is ahead of the need when half a
 * segment is free: writers fill about as much while the next one is made. Where several owners have
 * segments, one segment without an owner is ahead.
 *
 * <p>Unlike {@link PoolFiller}, which makes the segments, it knows nothing of threads.
 *
 * <p>Thread contract: guarded by the lock of the store. Failure: after a segment could not be made
 * no lease waits for one, because the store cannot end the cause (a full file system, a limit). A
 * lease without room has it tried again once {@value #RETRY_PAUSE_MS} ms have passed.
 */
final class PoolGrowth {
  static final long RETRY_PAUSE_MS = 30_000;

  private final MemoryTier memory;
  private final Deque<Integer> missingIds;
  private final boolean whole;
  private final long aheadBytes;
  private final LongSupplier nanoTime;
  private final List<Need> needs = new ArrayList<>();
  private boolean ended;
  private String failure;
  private long failures;
  private long failedNs;
  private boolean retryWanted;

  /** The room that a lease waits for. */
  private record Need(Owner owner, long lengthBytes, boolean contiguous) {}

  /**
   * Starts with what there is.
   *
   * @param missingIds segments that do not exist yet, in the order they are to be made
   * @param nanoTime a clock as {@link System#nanoTime} is one
   */
  PoolGrowth(
      StoreConfig config,
      MemoryTier memory,
      Collection<Integer> missingIds,
      LongSupplier nanoTime) {
    this.memory = memory;
    this.missingIds = new ArrayDeque<>(missingIds);
    this.whole = config.wholeAtStart();
    this.aheadBytes =
        config.wholeAtStart() ? config.memoryCapacityBytes() : config.segmentBytes() / 2;
    this.nanoTime = nanoTime;
  }

  /** Whether room that a lease lacks may still come; if not, it is no use to wait. */
  boolean mayCome() {
    return !ended && failure == null && !missingIds.isEmpty();
  }

  /** A lease lacks room. */
  void need(Owner owner, long lengthBytes, boolean contiguous) {
    needs.add(new Need(owner, lengthBytes, contiguous));
  }

  /** The same lease has room, or does not wait any more. */
  void noLongerNeed(Owner owner, long lengthBytes, boolean contiguous) {
    needs.remove(new Need(owner, lengthBytes, contiguous));
  }

  /** A lease lacked room and did not wait for it. */
  void wentWithout() {
    retryWanted = failure != null;
  }

  /** Whether the next segment is to be made now. */
  boolean isWanted() {
    if (missingIds.isEmpty()) {
      return false;
    }
    if (failure != null) {
      return retryWanted
          && nanoTime.getAsLong() - failedNs >= TimeUnit.MILLISECONDS.toNanos(RETRY_PAUSE_MS);
    }
    long neededBytes = 0;
    for (Need need : needs) {
      if (lacksRoom(need)) {
        return true;
      }
      neededBytes += need.lengthBytes();
    }
    if (memory.ownerCount() > 1 && !whole) {
      return memory.nobodysBytes() == 0; // what is free is another one's
    }
    // Those that have been given room and have not taken it yet count as if they had.
    return memory.freeBytes() - neededBytes < aheadBytes;
  }

  private boolean lacksRoom(Need need) {
    return !memory.hasRoom(need.owner(), need.lengthBytes(), need.contiguous());
  }

  /** Owners of leases that lack room, in the order in which they came. */
  List<Owner> lacking() {
    return needs.stream().filter(this::lacksRoom).map(Need::owner).distinct().toList();
  }

  /** A segment does not exist any more, and its room is free: it can be made. */
  void returned(int segmentId) {
    missingIds.addFirst(segmentId);
    failure = null;
  }

  /** Whether every segment exists. */
  boolean isComplete() {
    return missingIds.isEmpty();
  }

  /** The segment to make next; there must be one. */
  int nextId() {
    return missingIds.getFirst();
  }

  /** That one exists, and is not to be made again. */
  void made() {
    missingIds.removeFirst();
    failure = null;
    retryWanted = false;
  }

  /** That one could not be made. */
  void failed(String cause) {
    failure = cause;
    failedNs = nanoTime.getAsLong();
    failures++;
    retryWanted = false;
  }

  /** Nothing is made any more. */
  void end() {
    ended = true;
  }

  /** Why the memory tier is smaller than configured; empty if nothing went wrong. */
  String reason() {
    return failure == null ? "" : " (not larger because of " + failure + ")";
  }

  /** How many times a segment could not be made. */
  long failures() {
    return failures;
  }
}
