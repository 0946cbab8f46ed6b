package io.sluice.spill.merge;

import io.sluice.spill.segment.Range;
import io.sluice.spill.segment.SegmentMapper.MappedRanges;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.List;

/**
 * A run that is read where it lies, in segments that nobody cuts meanwhile: this process has leased
 * them, or owns the pool.
 *
 * <p>It maps a window of the run at a time and unmaps it behind the reader: mapped pages count
 * against the memory limit of a task's container, and a task's share of a node's runs can be larger
 * than that.
 *
 * <p>Thread contract: one thread. Ownership: its cursor closes it; the mapper stays its owner's.
 * Failure: {@link IOException} when the segment is gone.
 */
public final class MappedRunInput implements RunInput {
  private final RangeMapper mapper;
  private final List<Range> ranges;
  private final int windowBytes;
  private int rangeNumber;
  private long rangeOffsetBytes;
  private long remainingBytes;
  private MappedRanges window;
  private ByteBuffer view;

  /** Maps ranges of the store; the caller closes the result. */
  @FunctionalInterface
  public interface RangeMapper {
    /** Read-only views of these ranges. */
    MappedRanges map(List<Range> ranges) throws IOException;
  }

  /**
   * Reads a run, mapping {@code windowBytes} of it at a time.
   *
   * @param ranges where it lies, in order
   * @param lengthBytes sum of the ranges
   */
  public MappedRunInput(RangeMapper mapper, List<Range> ranges, long lengthBytes, int windowBytes) {
    this.mapper = mapper;
    this.ranges = ranges;
    this.windowBytes = windowBytes;
    this.remainingBytes = lengthBytes;
  }

  @Override
  public int read(byte[] dst, int offset, int lengthBytes) throws IOException {
    if (lengthBytes == 0) {
      return 0;
    }
    if (remainingBytes == 0) {
      close();
      return -1;
    }
    if (view == null || !view.hasRemaining()) {
      nextWindow();
    }
    int n = Math.min(lengthBytes, view.remaining());
    view.get(dst, offset, n);
    remainingBytes -= n;
    return n;
  }

  private void nextWindow() throws IOException {
    close();
    Range range = ranges.get(rangeNumber);
    long lengthBytes = Math.min(windowBytes, range.lengthBytes() - rangeOffsetBytes);
    window =
        mapper.map(
            List.of(
                new Range(range.segmentId(), range.offsetBytes() + rangeOffsetBytes, lengthBytes)));
    view = window.buffers().get(0).duplicate();
    rangeOffsetBytes += lengthBytes;
    if (rangeOffsetBytes == range.lengthBytes()) {
      rangeNumber++;
      rangeOffsetBytes = 0;
    }
  }

  @Override
  public long remainingBytes() {
    return remainingBytes;
  }

  @Override
  public void close() {
    view = null;
    if (window != null) {
      window.close();
      window = null;
    }
  }
}
