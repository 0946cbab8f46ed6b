package io.sluice.spill.store;

import io.sluice.rdma.memory.Closer;
import io.sluice.spill.format.FooterLayout;
import io.sluice.spill.format.FooterReader;
import io.sluice.spill.segment.Range;
import io.sluice.spill.segment.SegmentInfo;
import io.sluice.spill.segment.Tier;
import java.io.IOException;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.BooleanSupplier;

/**
 * Blocks that recovery found without an output. A block can be granted again when no task can write
 * to it any more and every mark in it is cleared. A mark that was left there by mistake or malice
 * must never come back.
 *
 * <p>Clearing is done little by little, because a file of the disk tier may have thousands of
 * blocks, and what is cleared stays so: nobody writes there. Nothing is released before all that
 * can go is cleared: a mark that is still there may claim what lies elsewhere.
 *
 * <p>Thread contract: guarded by the lock of the store, but for {@link #review}. Failure: what
 * cannot be cleared in memory stays here and is tried again; a file is disowned and given up.
 */
final class Quarantine {
  /** At most looked at in one step. */
  private static final int BLOCKS_AT_ONCE = 64;

  /**
   * The part of a disk's deadline that a review may take: a task waits for it, and for its lease.
   */
  private static final int REVIEW_PART = 4;

  /** Of the time that a disk has for its answer: a step is not what makes it seem to hang. */
  private static final int STEP_PART = 8;

  private final StoreState state;
  private final CommitMarks marks;
  private final ReleaseOperations releases;
  private final Allocator allocator;
  private final int blockBytes;
  private final long stepNs;
  private final BlockSet blocks;
  private final BlockSet cleared;
  private final Set<String> untilFreed; // applications whose tasks may still be writing
  private boolean reviewed;

  /** Holds what the allocator says. */
  Quarantine(StoreState state, CommitMarks marks, ReleaseOperations releases) {
    this.state = state;
    this.marks = marks;
    this.releases = releases;
    this.allocator = state.allocator;
    this.blockBytes = state.config.blockBytes();
    this.stepNs = TimeUnit.MILLISECONDS.toNanos(state.config.diskTimeoutMs()) / STEP_PART;
    this.blocks = allocator.quarantined();
    this.cleared = new BlockSet(blockBytes);
    this.untilFreed =
        state.files.isRecovered()
            ? new HashSet<>(state.config.runningApplications())
            : new HashSet<>();
  }

  boolean isEmpty() {
    return blocks.isEmpty();
  }

  /** That application has ended. */
  void freed(String applicationId) {
    untilFreed.remove(applicationId);
  }

  /** Frees what no output claims and no task can be writing to, at the start. */
  void releaseNeverGranted(DeferredRelease givenBack) throws IOException {
    if (untilFreed.isEmpty()) {
      return; // all of it can go
    }
    for (Range range : blocks.ranges()) {
      if (allocator.memory().segment(range.segmentId()) != null) {
        for (Range part : allocator.memory().neverGranted(range)) {
          for (long at = part.offsetBytes(); at < part.endBytes(); ) {
            at = clear(new Range(part.segmentId(), at, part.endBytes() - at));
          }
          release(part, givenBack);
        }
      }
    }
  }

  /**
   * Frees what no output claims and nobody can be writing to any more; what takes too long comes
   * with the next review. Called under no lock.
   */
  void review() throws IOException {
    state.lock.lock();
    try {
      if (state.quiet || reviewed && blocks.isEmpty()) {
        return;
      }
      reviewed = true;
    } finally {
      state.lock.unlock();
    }
    RecoveredLeases.Review review = state.config.formerLeases().review(state.files.poolId());
    long deadlineNs =
        state.nanoTime.getAsLong()
            + TimeUnit.MILLISECONDS.toNanos(state.config.diskTimeoutMs()) / REVIEW_PART;
    Closer closer = new Closer();
    AtomicBoolean complete = new AtomicBoolean();
    releases.run(
        closer,
        givenBack -> {
          YieldingLock turn = new YieldingLock(state.lock);
          BlockSet releasable = releasable(review);
          BooleanSupplier goesOn =
              () -> {
                turn.pass();
                return !state.quiet && state.nanoTime.getAsLong() - deadlineNs < 0;
              };
          clear(releasable, goesOn, closer);
          complete.set(release(releasable, goesOn, givenBack, closer));
        });
    closer.finish(DeferredRelease.NOT_ALL);
    if (complete.get()) {
      state.config.formerLeases().settled(review);
    }
  }

  /** Once every application of then has ended, only a task that lives can still be writing. */
  private BlockSet releasable(RecoveredLeases.Review review) {
    BlockSet released = blocks.copy();
    if (!untilFreed.isEmpty()) {
      BlockSet others = blocks.copy();
      review.gone().forEach(others::exclude);
      others.ranges().forEach(released::exclude);
      review.unsaid().forEach(released::exclude);
    }
    review.living().forEach(released::exclude);
    return released;
  }

  /**
   * Clears the marks of blocks that are released after it.
   *
   * @param wanted what is releasable
   * @param goesOn is asked before each step; one may take as long as a disk has for its answer
   */
  private void clear(BlockSet wanted, BooleanSupplier goesOn, Closer closer) {
    BlockSet left = wanted.copy();
    cleared.ranges().forEach(left::exclude);
    for (Range range : left.ranges()) {
      for (Range part : parts(range)) {
        if (!goesOn.getAsBoolean()) {
          return;
        }
        if (blocks.contains(part) && cleared.isDisjoint(part)) { // others have been here meanwhile
          closer.run(
              () -> {
                long endBytes = clear(part);
                cleared.add(
                    new Range(part.segmentId(), part.offsetBytes(), endBytes - part.offsetBytes()));
              });
        }
      }
    }
  }

  private List<Range> parts(Range range) {
    long partBytes = (long) BLOCKS_AT_ONCE * blockBytes;
    List<Range> parts = new ArrayList<>();
    for (long at = range.offsetBytes(); at < range.endBytes(); at += partBytes) {
      parts.add(new Range(range.segmentId(), at, Math.min(partBytes, range.endBytes() - at)));
    }
    return parts;
  }

  /** Clears one block or more; returns how far it came. */
  private long clear(Range range) throws IOException {
    SegmentHandle segment = allocator.segment(range.segmentId());
    AtomicLong endBytes = new AtomicLong();
    try {
      segment.atMarks(() -> endBytes.set(clearMarks(segment, range)));
      return endBytes.get();
    } catch (IOException e) {
      if (!segment.isTrusted() && segment.info().tier() == Tier.MEMORY) {
        allocator.memory().damaged(segment); // what it says goes with its file
        return range.endBytes();
      }
      if (segment.info().tier() == Tier.MEMORY) {
        throw e;
      }
      marks.disown(segment, e); // it is never granted again, and soon deleted
      return range.endBytes();
    }
  }

  private long clearMarks(SegmentHandle segment, Range range) throws IOException {
    long beginNs = System.nanoTime();
    long end = range.offsetBytes();
    do {
      end += blockBytes;
      if (FooterReader.looksCommitted(segment, end)) {
        segment.writeMark(end - FooterLayout.TRAILER_BYTES, 0);
      }
    } while (end < range.endBytes() && System.nanoTime() - beginNs < stepNs);
    return end;
  }

  /**
   * Frees these if all of them are cleared.
   *
   * @param goesOn as for {@link #clear}
   * @return whether none is left
   */
  private boolean release(
      BlockSet wanted, BooleanSupplier goesOn, DeferredRelease givenBack, Closer closer) {
    BlockSet going = wanted.common(blocks);
    if (going.common(cleared).bytes() < going.bytes()) {
      return false;
    }
    for (Range range : going.ranges()) {
      if (!goesOn.getAsBoolean()) {
        return false;
      }
      if (blocks.contains(range)) {
        closer.run(() -> release(range, givenBack));
      }
    }
    return wanted.common(blocks).isEmpty();
  }

  private void release(Range range, DeferredRelease givenBack) throws IOException {
    blocks.remove(range);
    cleared.exclude(range);
    if (SegmentInfo.tierOf(range.segmentId()) == Tier.MEMORY) {
      state.arbiter.reviewed(range.lengthBytes());
    }
    allocator.free(range, givenBack);
  }
}
