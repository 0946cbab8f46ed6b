package io.sluice.spill.store;

import io.sluice.spill.format.CorruptOutputException;
import io.sluice.spill.format.FooterLayout.FooterLocation;
import io.sluice.spill.format.FooterLayout.LocationRecord;
import io.sluice.spill.format.FooterReader;
import io.sluice.spill.format.OutputIdentity;
import io.sluice.spill.segment.Extent;
import io.sluice.spill.segment.ExtentTable;
import io.sluice.spill.segment.Owner;
import io.sluice.spill.segment.Range;
import java.io.IOException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.IntFunction;

/**
 * Loads an output from the medium and checks it as far as possible without knowing which lease
 * holds its blocks.
 *
 * <p>Thread contract: safe from any thread if the lookup of segments is. Failure: {@link
 * CorruptOutputException}, or {@link IOException} of the file.
 */
final class OutputLoader {
  private final FooterReader footers;
  private final IntFunction<SegmentHandle> segments;
  private final int blockBytes;

  /**
   * Creates a loader.
   *
   * @param segments finds a segment by its id, null if there is none
   */
  OutputLoader(FooterReader footers, int blockBytes, IntFunction<SegmentHandle> segments) {
    this.footers = footers;
    this.blockBytes = blockBytes;
    this.segments = segments;
  }

  /** Checks an output's identity, where that lies, and the index. */
  interface Checking {
    CommittedOutput load(OutputIdentity identity, OutputLocation location) throws IOException;
  }

  /**
   * Loads an output of an owner.
   *
   * @param owner of every segment that it may lie in: nothing of another is looked at
   * @param mostExtents how many it can have: what is kept of each is on the heap
   */
  CommittedOutput load(FooterLocation footer, Owner owner, long mostExtents) throws IOException {
    return load(footer, 0, owner, mostExtents, CommittedOutput::load);
  }

  /**
   * The same with other checks.
   *
   * @param fromBytes where in its segment the output's location begins at the earliest
   */
  CommittedOutput load(
      FooterLocation footer, long fromBytes, Owner owner, long mostExtents, Checking checking)
      throws IOException {
    SegmentHandle tail = segments.apply(footer.segmentId());
    if (tail == null || !tail.owner().equals(owner)) {
      throw new CorruptOutputException(
          "there is no segment " + footer.segmentId() + " for a footer at " + footer);
    }
    LocationRecord record = footers.readLocation(tail.inTurn(), footer, fromBytes, mostExtents);
    OutputLocation location = location(record, owner);
    return checking.load(footers.readIdentity(record, location), location);
  }

  private OutputLocation location(LocationRecord record, Owner owner) throws IOException {
    List<SegmentHandle> handles = new ArrayList<>();
    List<Extent> extents = new ArrayList<>(record.extents().size());
    BlockSet seen = new BlockSet(blockBytes);
    for (Range range : record.extents()) {
      SegmentHandle segment = segments.apply(range.segmentId());
      if (segment == null
          || !segment.owner().equals(owner)
          || range.endBytes() > segment.lengthBytes()) {
        throw new CorruptOutputException(
            "the output at %s claims %s, which is not inside a segment of user id %s"
                .formatted(record.location(), range, owner));
      }
      if (!seen.isDisjoint(range)) {
        throw new CorruptOutputException(
            "the output at " + record.location() + " claims blocks of " + range + " twice");
      }
      seen.add(range);
      handles.add(segment);
      extents.add(segment.extent(range));
    }
    return new OutputLocation(
        record.poolId(),
        record.generation(),
        record.commitMark(),
        new ExtentTable(extents),
        handles);
  }

  /**
   * Checks the indexes that a recovery finds, and reads no block of one twice. A user that may
   * write to a segment may forge an output at the end of every block, and let all of them name one
   * long index.
   *
   * <p>Two locations of one output have the same index if the index stayed on disk. Any other
   * outputs whose indexes share a block are all left out: one of them is forged.
   *
   * <p>Thread contract: one thread. Failure: {@link CorruptOutputException} for one that is not
   * valid, or has blocks of another.
   */
  static final class CheckedIndexes {
    private final int blockBytes;
    private final Map<FooterLocation, Index> byBlock = new HashMap<>();
    private final Set<CommittedOutput> contested = new HashSet<>();

    /** One that was found, and the outputs that are valid with it. */
    private record Index(OutputIdentity identity, List<Range> ranges, List<CommittedOutput> valid) {
      boolean isThatOf(Index other) {
        return identity.equals(other.identity) && ranges.equals(other.ranges);
      }
    }

    CheckedIndexes(int blockBytes) {
      this.blockBytes = blockBytes;
    }

    /** The output of that identity and location, if its index is valid and nobody else's. */
    CommittedOutput load(OutputIdentity identity, OutputLocation location) throws IOException {
      List<Range> ranges =
          location.ranges(identity.indexOffsetBytes(), identity.indexLengthBytes());
      Index index = new Index(identity, ranges, new ArrayList<>());
      for (Range range : ranges) {
        long block = range.offsetBytes() / blockBytes * blockBytes;
        for (; block < range.endBytes(); block += blockBytes) {
          Index other = byBlock.putIfAbsent(new FooterLocation(range.segmentId(), block), index);
          if (other != null) {
            return loadAgain(index, other, location);
          }
        }
      }
      CommittedOutput output = CommittedOutput.load(identity, location);
      index.valid().add(output);
      return output;
    }

    private CommittedOutput loadAgain(Index index, Index other, OutputLocation location)
        throws IOException {
      OutputIdentity identity = index.identity();
      if (!index.isThatOf(other)) {
        contested.addAll(other.valid());
        throw new CorruptOutputException(
            identity.id() + " has its index where that of " + other.identity().id() + " lies");
      }
      if (other.valid().isEmpty()) {
        throw new CorruptOutputException("the index of " + identity.id() + " was not valid before");
      }
      CommittedOutput output = CommittedOutput.checked(identity, location);
      other.valid().add(output);
      return output;
    }

    /** Those whose index others have claimed since; complete when all have been loaded. */
    Set<CommittedOutput> contested() {
      return contested;
    }
  }
}
