package io.sluice.spill.store;

import io.sluice.spill.segment.Range;
import io.sluice.spill.segment.SegmentInfo;
import io.sluice.spill.segment.Tier;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.function.IntPredicate;

/**
 * A set of blocks of any segments, one bit each: what is free, what a lease holds, what is in
 * quarantine.
 *
 * <p>Thread contract: guarded by the lock of the store. Failure: {@link IllegalStateException} when
 * blocks are added twice or removed without being there, because that is a bug of the store.
 */
final class BlockSet {
  private final int blockBytes;
  private final Map<Integer, BitSet> segments = new TreeMap<>();
  private final Changes changes;
  private final Map<Integer, Integer> longest = new HashMap<>(); // blocks; without: not known
  private long blocks;
  private long looks;

  /** Is told what comes and goes. */
  interface Changes {
    /** Ignores every change. */
    Changes UNWATCHED =
        new Changes() {
          @Override
          public void added(Range range) {}

          @Override
          public void removed(Range range) {}
        };

    void added(Range range);

    void removed(Range range);
  }

  BlockSet(int blockBytes) {
    this(blockBytes, Changes.UNWATCHED);
  }

  /** One that is watched. */
  BlockSet(int blockBytes, Changes changes) {
    this.blockBytes = blockBytes;
    this.changes = changes;
  }

  void add(Range range) {
    BitSet bits = segments.computeIfAbsent(range.segmentId(), id -> new BitSet());
    int from = firstBlock(range);
    int to = endBlock(range);
    int set = bits.nextSetBit(from);
    if (set >= 0 && set < to) {
      throw new IllegalStateException("block " + set + " of " + range + " is already in the set");
    }
    bits.set(from, to);
    blocks += to - from;
    longest.remove(range.segmentId());
    changes.added(range);
  }

  /** Adds a range; what of it was there goes into another set, which has none of that. */
  void addWhatIsNew(Range range, BlockSet others) {
    BitSet bits = segments.computeIfAbsent(range.segmentId(), id -> new BitSet());
    int end = endBlock(range);
    for (int from = firstBlock(range); from < end; ) {
      boolean there = bits.get(from);
      int to = Math.min(end, there ? bits.nextClearBit(from) : nextOrEnd(bits, from, end));
      (there ? others : this).add(range(range.segmentId(), from, to - from));
      from = to;
    }
  }

  private static int nextOrEnd(BitSet bits, int from, int end) {
    int set = bits.nextSetBit(from);
    return set < 0 ? end : set;
  }

  void remove(Range range) {
    if (!contains(range)) {
      throw new IllegalStateException("not every block of " + range + " is in the set");
    }
    BitSet bits = segments.get(range.segmentId());
    bits.clear(firstBlock(range), endBlock(range));
    longest.remove(range.segmentId());
    if (bits.isEmpty()) {
      segments.remove(range.segmentId());
    }
    blocks -= endBlock(range) - firstBlock(range);
    changes.removed(range);
  }

  /** Another set of the same blocks, which nobody watches. */
  BlockSet copy() {
    BlockSet copy = new BlockSet(blockBytes);
    segments.forEach((segmentId, bits) -> copy.segments.put(segmentId, (BitSet) bits.clone()));
    copy.blocks = blocks;
    return copy;
  }

  /** The blocks that are in both sets. */
  BlockSet common(BlockSet other) {
    BlockSet common = new BlockSet(blockBytes);
    segments.forEach(
        (segmentId, bits) -> {
          BitSet both = (BitSet) bits.clone();
          both.and(other.segments.getOrDefault(segmentId, new BitSet()));
          if (!both.isEmpty()) {
            common.segments.put(segmentId, both);
            common.blocks += both.cardinality();
          }
        });
    return common;
  }

  /**
   * Takes out what is in the set of a range's blocks, touched ones too.
   *
   * @throws IllegalStateException if the set is watched: nobody is told of this
   */
  void exclude(Range range) {
    if (changes != Changes.UNWATCHED) {
      throw new IllegalStateException("blocks are excluded from a set that is watched");
    }
    BitSet bits = segments.get(range.segmentId());
    if (bits == null) {
      return;
    }
    int from = (int) Math.min(bits.length(), range.offsetBytes() / blockBytes);
    int to = (int) Math.min(bits.length(), (range.endBytes() - 1) / blockBytes + 1);
    int before = bits.cardinality();
    bits.clear(from, to);
    longest.remove(range.segmentId());
    blocks -= before - bits.cardinality();
    if (bits.isEmpty()) {
      segments.remove(range.segmentId());
    }
  }

  /** Whether every block of the range is in the set; false for ranges that are not whole blocks. */
  boolean contains(Range range) {
    if (range.offsetBytes() % blockBytes != 0
        || range.lengthBytes() % blockBytes != 0
        || range.endBytes() / blockBytes > Integer.MAX_VALUE) {
      return false;
    }
    BitSet bits = segments.get(range.segmentId());
    return bits != null && bits.nextClearBit(firstBlock(range)) >= endBlock(range);
  }

  /** Whether no block of the range is in the set. */
  boolean isDisjoint(Range range) {
    BitSet bits = segments.get(range.segmentId());
    if (bits == null) {
      return true;
    }
    int set = bits.nextSetBit(firstBlock(range));
    return set < 0 || set >= endBlock(range);
  }

  boolean isEmpty() {
    return blocks == 0;
  }

  long bytes() {
    return blocks * blockBytes;
  }

  /** Every stretch of adjacent blocks, in order. */
  List<Range> ranges() {
    return ranges(segmentId -> true);
  }

  /** Those of one segment. */
  List<Range> ranges(int segmentId) {
    List<Range> ranges = new ArrayList<>();
    BitSet bits = segments.get(segmentId);
    if (bits != null) {
      addRanges(segmentId, bits, ranges);
    }
    return ranges;
  }

  /** Those of one tier. */
  List<Range> ranges(Tier tier) {
    return ranges(segmentId -> SegmentInfo.tierOf(segmentId) == tier);
  }

  private List<Range> ranges(IntPredicate wanted) {
    List<Range> ranges = new ArrayList<>();
    segments.forEach(
        (segmentId, bits) -> {
          if (wanted.test(segmentId)) {
            addRanges(segmentId, bits, ranges);
          }
        });
    return ranges;
  }

  private void addRanges(int segmentId, BitSet bits, List<Range> ranges) {
    for (int from = bits.nextSetBit(0); from >= 0; ) {
      int to = bits.nextClearBit(from);
      ranges.add(range(segmentId, from, to - from));
      from = bits.nextSetBit(to);
    }
  }

  /** Where the last block of a segment in the set ends; 0 if it has none. */
  long endBytesOf(int segmentId) {
    BitSet bits = segments.get(segmentId);
    return bits == null ? 0 : (long) bits.length() * blockBytes;
  }

  /** Bytes of the blocks of one segment. */
  long bytesOf(int segmentId) {
    BitSet bits = segments.get(segmentId);
    return bits == null ? 0 : (long) bits.cardinality() * blockBytes;
  }

  /** Bytes of the blocks of one tier. */
  long bytesOf(Tier tier) {
    long bytes = 0;
    for (Map.Entry<Integer, BitSet> segment : segments.entrySet()) {
      if (SegmentInfo.tierOf(segment.getKey()) == tier) {
        bytes += (long) segment.getValue().cardinality() * blockBytes;
      }
    }
    return bytes;
  }

  /**
   * A stretch that holds this many bytes, cut to that length; stays in the set. It lies in the
   * segment with the fewest blocks in the set that has one, and is the shortest there. So a segment
   * that is nearly used up is used up first, and others stay whole.
   */
  Optional<Range> bestFit(long lengthBytes) {
    int wanted = (int) Math.min(Integer.MAX_VALUE, lengthBytes / blockBytes);
    int segmentId = -1;
    int fewest = Integer.MAX_VALUE;
    for (Map.Entry<Integer, BitSet> segment : segments.entrySet()) {
      if (longestOf(segment.getKey(), segment.getValue()) >= wanted
          && segment.getValue().cardinality() < fewest) {
        segmentId = segment.getKey();
        fewest = segment.getValue().cardinality();
      }
    }
    return segmentId < 0 ? Optional.empty() : Optional.of(shortest(segmentId, wanted));
  }

  private Range shortest(int segmentId, int wanted) {
    BitSet bits = segments.get(segmentId);
    int bestFrom = 0;
    int bestLength = Integer.MAX_VALUE;
    for (int from = bits.nextSetBit(0); from >= 0; ) {
      int to = bits.nextClearBit(from);
      looks++;
      if (to - from >= wanted && to - from < bestLength) {
        bestFrom = from;
        bestLength = to - from;
      }
      from = bits.nextSetBit(to);
    }
    return range(segmentId, bestFrom, wanted);
  }

  /** The longest stretch; stays in the set. */
  Optional<Range> longest() {
    int segmentId = -1;
    int length = 0;
    for (Map.Entry<Integer, BitSet> segment : segments.entrySet()) {
      int longest = longestOf(segment.getKey(), segment.getValue());
      if (longest > length) {
        segmentId = segment.getKey();
        length = longest;
      }
    }
    return segmentId < 0 ? Optional.empty() : Optional.of(shortest(segmentId, length));
  }

  private int longestOf(int segmentId, BitSet bits) {
    Integer known = longest.get(segmentId);
    if (known != null) {
      return known;
    }
    int length = 0;
    for (int from = bits.nextSetBit(0); from >= 0; ) {
      int to = bits.nextClearBit(from);
      looks++;
      length = Math.max(length, to - from);
      from = bits.nextSetBit(to);
    }
    longest.put(segmentId, length);
    return length;
  }

  /** How many stretches were looked at to find one. */
  long looks() {
    return looks;
  }

  private Range range(int segmentId, int fromBlock, int lengthBlocks) {
    return new Range(segmentId, (long) fromBlock * blockBytes, (long) lengthBlocks * blockBytes);
  }

  private int firstBlock(Range range) {
    return (int) (range.offsetBytes() / blockBytes);
  }

  private int endBlock(Range range) {
    return (int) (range.endBytes() / blockBytes);
  }
}
