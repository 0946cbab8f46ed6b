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
import java.util.List;
import java.util.function.IntFunction;

/**
 * Loads an output from the medium and checks everything that can be checked without knowing who
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
    CommittedOutput load(OutputIdentity identity, OutputLocation place) throws IOException;
  }

  /**
   * Loads an output of an owner.
   *
   * @param owner of every segment that it may lie in: nothing of another is looked at
   * @param mostExtents how many it can have: what is kept of each is on the heap
   */
  CommittedOutput load(FooterLocation location, Owner owner, long mostExtents) throws IOException {
    return load(location, 0, owner, mostExtents, CommittedOutput::load);
  }

  /**
   * The same with other checks.
   *
   * @param fromBytes where in its segment the output's place begins at the earliest
   */
  CommittedOutput load(
      FooterLocation location, long fromBytes, Owner owner, long mostExtents, Checking checking)
      throws IOException {
    SegmentHandle tail = segments.apply(location.segmentId());
    if (tail == null || !tail.owner().equals(owner)) {
      throw new CorruptOutputException(
          "there is no segment " + location.segmentId() + " for a footer at " + location);
    }
    LocationRecord record = footers.readLocation(tail.inTurn(), location, fromBytes, mostExtents);
    OutputLocation place = place(record, owner);
    return checking.load(footers.readIdentity(record, place), place);
  }

  private OutputLocation place(LocationRecord record, Owner owner) throws IOException {
    List<SegmentHandle> handles = new ArrayList<>();
    List<Extent> extents = new ArrayList<>(record.extents().size());
    BlockSet seen = new BlockSet(blockBytes);
    for (Range range : record.extents()) {
      SegmentHandle segment = segments.apply(range.segmentId());
      if (segment == null
          || !segment.owner().equals(owner)
          || range.endBytes() > segment.lengthBytes()) {
        throw new CorruptOutputException(
            "the output at "
                + record.location()
                + " claims "
                + range
                + ", which is not inside a segment of user id "
                + owner);
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
}
