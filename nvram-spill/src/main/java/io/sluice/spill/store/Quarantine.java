package io.sluice.spill.store;

import io.sluice.spill.format.FooterLayout;
import io.sluice.spill.format.FooterReader;
import io.sluice.spill.segment.Range;
import io.sluice.spill.segment.Tier;
import java.io.IOException;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.function.BooleanSupplier;

/**
 * Blocks that were found without an output at recovery, and which of them can be granted again:
 * those that no task can be writing to any more, when every mark in them is cleared. A mark left
 * there by mistake or malice must never come back.
 *
 * <p>Clearing is done little by little, because a file of the disk tier may have thousands of
 * blocks, and what is cleared stays so: nobody writes there.
 *
 * <p>Thread contract: guarded by the lock of the store. Failure: what cannot be cleared in memory
 * stays here and is tried again; a file is disowned and given up.
 */
final class Quarantine {
  /** Looked at while a directory of the disk tier is asked once. */
  private static final int BLOCKS_AT_ONCE = 64;

  private final Allocator allocator;
  private final int blockBytes;
  private final Disowner disowner;
  private final BlockSet blocks;
  private final BlockSet cleared;
  private final Set<String> untilFreed;

  /** A mark in a file stays that is not true any more. */
  interface Disowner {
    void disown(SegmentHandle segment, IOException cause) throws IOException;
  }

  /**
   * Holds what the allocator says.
   *
   * @param untilFreed applications of then, whose tasks may still be writing
   */
  Quarantine(Allocator allocator, int blockBytes, Set<String> untilFreed, Disowner disowner) {
    this.allocator = allocator;
    this.blockBytes = blockBytes;
    this.disowner = disowner;
    this.blocks = allocator.quarantined();
    this.cleared = new BlockSet(blockBytes);
    this.untilFreed = new HashSet<>(untilFreed);
  }

  boolean isEmpty() {
    return blocks.isEmpty();
  }

  /** That application has ended. */
  void freed(String applicationId) {
    untilFreed.remove(applicationId);
  }

  /** Frees what no output claims and no task can be writing to, at the start. */
  void releaseNeverGranted(List<SegmentHandle> retired) throws IOException {
    if (untilFreed.isEmpty()) {
      return; // all of it can go
    }
    for (Range range : blocks.ranges()) {
      if (allocator.memory().segment(range.segmentId()) != null) {
        for (Range part : allocator.memory().neverGranted(range)) {
          clear(part);
          release(part, retired);
        }
      }
    }
  }

  /** Once every application of then has ended, only a task that lives can still be writing. */
  BlockSet releasable(FormerLeases.Review review) {
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
   * @param goesOn is asked between steps; a step may take as long as a disk has for its answer
   */
  void clear(BlockSet wanted, BooleanSupplier goesOn, Cleanup cleanup) {
    BlockSet left = wanted.copy();
    cleared.ranges().forEach(left::exclude);
    for (Range range : left.ranges()) {
      for (Range part : parts(range)) {
        if (!goesOn.getAsBoolean()) {
          return;
        }
        if (blocks.contains(part) && cleared.isDisjoint(part)) { // others have been here meanwhile
          cleanup.run(
              () -> {
                clear(part);
                cleared.add(part);
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

  private void clear(Range range) throws IOException {
    SegmentHandle segment = allocator.segment(range.segmentId());
    try {
      segment.atFileSystemPatiently(() -> clearMarks(segment, range));
    } catch (IOException e) {
      if (segment.info().tier() == Tier.MEMORY) {
        throw e;
      }
      disowner.disown(segment, e); // it is never granted again, and soon deleted
    }
  }

  private void clearMarks(SegmentHandle segment, Range range) throws IOException {
    for (long end = range.offsetBytes() + blockBytes; end <= range.endBytes(); end += blockBytes) {
      if (FooterReader.looksCommitted(segment, end)) {
        segment.writeMark(end - FooterLayout.TRAILER_BYTES, 0);
      }
    }
  }

  /**
   * Frees of these what is cleared, all at once: a mark that is still there may claim what lies
   * beside it.
   *
   * @return whether that is all of them
   */
  boolean release(BlockSet wanted, List<SegmentHandle> retired, Cleanup cleanup) {
    boolean all = true;
    for (Range range : wanted.ranges()) {
      if (blocks.contains(range) && cleared.contains(range)) {
        cleanup.run(() -> release(range, retired));
      } else {
        all &= blocks.isDisjoint(range); // others have been here meanwhile
      }
    }
    return all;
  }

  private void release(Range range, List<SegmentHandle> retired) throws IOException {
    blocks.remove(range);
    cleared.exclude(range);
    allocator.free(range, retired);
  }
}
