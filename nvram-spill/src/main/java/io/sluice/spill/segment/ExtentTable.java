package io.sluice.spill.segment;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;

/**
 * The extents of one output in the order they were filled, as one logical sequence of bytes. It
 * turns logical offsets into ranges of segments.
 *
 * <p>Thread contract: not safe while it grows; safe to read from any thread afterwards.
 */
public final class ExtentTable {
  private final List<Extent> extents;
  private long[] startsBytes;
  private long lengthBytes;

  /** An empty table. */
  public ExtentTable() {
    this.extents = new ArrayList<>();
    this.startsBytes = new long[4];
  }

  /** A table of the given extents in their order, without spare room. */
  public ExtentTable(List<Extent> extents) {
    this.extents = new ArrayList<>(extents.size());
    this.startsBytes = new long[extents.size()];
    extents.forEach(this::add);
  }

  /** Appends an extent behind the last one. */
  public void add(Extent extent) {
    if (extents.size() == startsBytes.length) {
      startsBytes = Arrays.copyOf(startsBytes, Math.max(4, startsBytes.length * 2));
    }
    startsBytes[extents.size()] = lengthBytes;
    extents.add(extent);
    lengthBytes += extent.lengthBytes();
  }

  /** All extents, in order. */
  public List<Extent> extents() {
    return Collections.unmodifiableList(extents);
  }

  /** Sum of the lengths of all extents. */
  public long lengthBytes() {
    return lengthBytes;
  }

  /** Logical offset of the first byte of the last extent. */
  public long lastStartBytes() {
    return startsBytes[extents.size() - 1];
  }

  /**
   * The ranges that hold a logical range, in order; none for an empty one.
   *
   * @throws IndexOutOfBoundsException if the logical range is not inside the table
   */
  public List<Range> ranges(long logicalOffsetBytes, long rangeLengthBytes) {
    if (logicalOffsetBytes < 0
        || rangeLengthBytes < 0
        || logicalOffsetBytes > lengthBytes - rangeLengthBytes) {
      throw new IndexOutOfBoundsException(
          "logical range at %s of length %s is not inside the %s bytes of the extents"
              .formatted(logicalOffsetBytes, rangeLengthBytes, lengthBytes));
    }
    if (rangeLengthBytes == 0) {
      return List.of();
    }
    int i = indexOf(logicalOffsetBytes);
    Range first = rangeIn(i, logicalOffsetBytes, rangeLengthBytes);
    if (first.lengthBytes() == rangeLengthBytes) {
      return List.of(first);
    }
    List<Range> ranges = new ArrayList<>();
    long doneBytes = 0;
    while (doneBytes < rangeLengthBytes) {
      Range range = rangeIn(i++, logicalOffsetBytes + doneBytes, rangeLengthBytes - doneBytes);
      ranges.add(range);
      doneBytes += range.lengthBytes();
    }
    return Collections.unmodifiableList(ranges);
  }

  private Range rangeIn(int i, long logicalOffsetBytes, long wantedBytes) {
    Extent extent = extents.get(i);
    long skippedBytes = logicalOffsetBytes - startsBytes[i];
    return new Range(
        extent.segment().segmentId(),
        extent.offsetBytes() + skippedBytes,
        Math.min(wantedBytes, extent.lengthBytes() - skippedBytes));
  }

  private int indexOf(long logicalOffsetBytes) {
    int found = Arrays.binarySearch(startsBytes, 0, extents.size(), logicalOffsetBytes);
    return found >= 0 ? found : -found - 2;
  }
}
