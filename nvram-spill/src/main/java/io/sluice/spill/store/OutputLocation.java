package io.sluice.spill.store;

import io.sluice.spill.format.FooterLayout;
import io.sluice.spill.format.FooterLayout.FooterLocation;
import io.sluice.spill.format.FooterReader.ByteSource;
import io.sluice.spill.segment.Extent;
import io.sluice.spill.segment.ExtentTable;
import io.sluice.spill.segment.Range;
import io.sluice.spill.segment.Tier;
import java.io.IOException;
import java.lang.invoke.VarHandle;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.Set;
import java.util.UUID;
import java.util.stream.Collectors;

/**
 * Where an output lies: its extents, read as one run of bytes by logical offsets, and the commit
 * mark that makes it exist there.
 *
 * <p>Thread contract: safe from any thread. Ownership: the store gives its blocks to others, which
 * {@link #isHeld} tells; the segments are the store's, too. Failure: {@link IOException} of a
 * segment.
 */
public final class OutputLocation implements ByteSource {
  private final UUID poolId;
  private final long generation;
  private final long commitMark;
  private final ExtentTable extents;
  private final SegmentHandle[] segments; // each once
  private volatile boolean held = true;
  private volatile boolean told;

  /**
   * A location that is held.
   *
   * @param generation of the location, which no other location of the output has
   * @param commitMark what its trailer is committed with
   * @param segments those that the extents lie in, the first extent's first
   */
  OutputLocation(
      UUID poolId,
      long generation,
      long commitMark,
      ExtentTable extents,
      List<SegmentHandle> segments) {
    this.poolId = poolId;
    this.generation = generation;
    this.commitMark = commitMark;
    this.extents = extents;
    this.segments = segments.stream().distinct().toArray(SegmentHandle[]::new);
  }

  /** The pool it lies in. */
  public UUID poolId() {
    return poolId;
  }

  /** Which location of the output it is: it rises with each. */
  public long generation() {
    return generation;
  }

  /**
   * Whether the bytes that were read here until now were the output's for certain: false when it
   * has left, and for ever after.
   */
  public boolean isHeld() {
    VarHandle.loadLoadFence(); // what was read before must not be read after it
    return held;
  }

  /** The output is no longer here; its blocks may go back from now on. */
  void release() {
    held = false;
  }

  /** A reader is told of it now, and looks afterwards whether it {@link #isHeld}. */
  void tell() {
    told = true;
  }

  /** Whether a reader was told of it, and may come to read here. */
  boolean wasTold() {
    return told;
  }

  /** All extents, in logical order. */
  public List<Extent> extents() {
    return extents.extents();
  }

  /** The ranges that hold some bytes of the output, in order. */
  List<Range> ranges(long logicalOffsetBytes, long lengthBytes) {
    return extents.ranges(logicalOffsetBytes, lengthBytes);
  }

  /** Length of all extents together. */
  @Override
  public long lengthBytes() {
    return extents.lengthBytes();
  }

  /**
   * Fills {@code destination} from a logical offset on, across extents.
   *
   * @throws IndexOutOfBoundsException if that is not inside the extents
   */
  @Override
  public void read(long logicalOffsetBytes, byte[] destination) throws IOException {
    List<Range> ranges = extents.ranges(logicalOffsetBytes, destination.length);
    if (ranges.size() == 1) {
      read(ranges.get(0), destination);
      return;
    }
    int doneBytes = 0;
    for (Range range : ranges) {
      byte[] part = new byte[(int) range.lengthBytes()];
      read(range, part);
      System.arraycopy(part, 0, destination, doneBytes, part.length);
      doneBytes += part.length;
    }
  }

  private void read(Range range, byte[] destination) throws IOException {
    SegmentHandle segment = segment(range.segmentId());
    try {
      segment.readInTurn(range.offsetBytes(), destination);
    } catch (IOException e) {
      throw new UnreadableSegmentException(segment, e);
    }
  }

  /**
   * Fills {@code destination}, whose position is 0, from a logical offset on, without copying it
   * twice where the segment is mapped. Not after the store was closed.
   */
  void copyTo(long logicalOffsetBytes, ByteBuffer destination) throws IOException {
    copyTo(extents.ranges(logicalOffsetBytes, destination.remaining()), destination);
  }

  /** The same from ranges of it. */
  void copyTo(List<Range> ranges, ByteBuffer destination) throws IOException {
    int doneBytes = 0;
    for (Range range : ranges) {
      int lengthBytes = (int) range.lengthBytes();
      segment(range.segmentId())
          .copyTo(range.offsetBytes(), destination.slice(doneBytes, lengthBytes));
      doneBytes += lengthBytes;
    }
  }

  /** Whether all of these ranges are mapped here and may be touched. */
  boolean isMapped(List<Range> ranges) {
    return ranges.stream().allMatch(range -> segment(range.segmentId()).isCopiedFromMapping());
  }

  private SegmentHandle segment(int segmentId) {
    for (SegmentHandle segment : segments) {
      if (segment.info().segmentId() == segmentId) {
        return segment;
      }
    }
    throw new IllegalStateException("no extent lies in segment " + segmentId);
  }

  /** Bytes of its blocks on a tier. */
  long bytesOf(Tier tier) {
    return extents().stream()
        .filter(extent -> extent.segment().tier() == tier)
        .mapToLong(Extent::lengthBytes)
        .sum();
  }

  /** Whether something of it lies in a segment. */
  boolean liesIn(int segmentId) {
    return extents().stream().anyMatch(extent -> extent.segment().segmentId() == segmentId);
  }

  /** Those that are not part of another location too; by their ranges, since files get shorter. */
  List<Extent> extentsBeside(OutputLocation other) {
    Set<Range> shared = other.extents().stream().map(Extent::range).collect(Collectors.toSet());
    return extents().stream().filter(extent -> !shared.contains(extent.range())).toList();
  }

  /** The segment of the trailer. */
  SegmentHandle tail() {
    return segment(lastRange().segmentId());
  }

  /** Where the trailer lies, which ends the last extent. */
  FooterLocation trailer() {
    Range last = lastRange();
    return new FooterLocation(last.segmentId(), last.endBytes() - FooterLayout.TRAILER_BYTES);
  }

  private Range lastRange() {
    return extents().get(extents().size() - 1).range();
  }

  /** Sets the mark that makes the output exist here, where it may be even if that fails. */
  void mark() throws IOException {
    tail().writeMark(trailer().trailerOffsetBytes(), commitMark);
  }

  /** Clears the mark, before the blocks are given to somebody else. */
  void clearMark() throws IOException {
    tail().writeMark(trailer().trailerOffsetBytes(), 0);
  }

  /**
   * Thrown when a segment that an output lies in cannot be read; not every one need be its last.
   */
  static final class UnreadableSegmentException extends IOException {
    private static final long serialVersionUID = 1;

    private final transient SegmentHandle segment;

    UnreadableSegmentException(SegmentHandle segment, IOException cause) {
      super("cannot read " + segment.info() + ": " + cause, cause);
      this.segment = segment;
    }

    /** The failure of the segment itself. */
    IOException failure() {
      return (IOException) getCause();
    }

    SegmentHandle segment() {
      return segment;
    }
  }
}
