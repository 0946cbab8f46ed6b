package io.sluice.spill.store;

import io.sluice.spill.segment.Range;
import java.io.Closeable;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;

/**
 * Remembers across a restart of the service which blocks of the memory tier were granted, because a
 * task that outlived the service may still be writing there. All others can be granted again at
 * once.
 *
 * <pre>
 *   0                     blocks per segment
 *   +---------------------+---------------------+ - - -
 *   | segment 0           | segment 1           |        one byte per block:
 *   +---------------------+---------------------+ - - -  0 free, 1 granted
 * </pre>
 *
 * <p>It need not survive the loss of power, which no task survives either. Thread contract: guarded
 * by the lock of the store. Ownership: {@link PoolFiles} closes it. Failure: {@link IOException} of
 * the file; nothing is granted then.
 */
final class LeaseMarks implements Closeable {
  private static final byte FREE = 0;
  private static final byte GRANTED = 1;

  private final MetaArea area;
  private final int blockBytes;
  private final long blocksPerSegment;

  /** Goes on with what a former store granted; in a new area nothing is granted. */
  LeaseMarks(MetaArea area, StoreConfig config) {
    this.area = area;
    this.blockBytes = config.blockBytes();
    this.blocksPerSegment = config.segmentBytes() / config.blockBytes();
  }

  void granted(Range range) throws IOException {
    area.fill(position(range), blocks(range), GRANTED);
  }

  void freed(Range range) throws IOException {
    area.fill(position(range), blocks(range), FREE);
  }

  private int blocks(Range range) {
    return (int) (range.lengthBytes() / blockBytes);
  }

  private long position(Range range) {
    return range.segmentId() * blocksPerSegment + range.offsetBytes() / blockBytes;
  }

  /** The parts of {@code range} that were not granted when the former store ended. */
  List<Range> notGranted(Range range) throws IOException {
    byte[] marks = new byte[blocks(range)];
    area.read(position(range), marks);
    List<Range> parts = new ArrayList<>();
    int blocks = marks.length;
    for (int start = 0; start < blocks; start++) {
      int end = start;
      while (end < blocks && marks[end] == FREE) {
        end++;
      }
      if (end > start) {
        parts.add(
            new Range(
                range.segmentId(),
                range.offsetBytes() + (long) start * blockBytes,
                (long) (end - start) * blockBytes));
        start = end;
      }
    }
    return parts;
  }

  @Override
  public void close() throws IOException {
    area.close();
  }
}
