package io.sluice.spill.store;

import io.sluice.spill.format.Footer;
import io.sluice.spill.format.OutputId;
import io.sluice.spill.format.OutputIndex;
import io.sluice.spill.format.Run;
import io.sluice.spill.segment.Extent;
import io.sluice.spill.segment.ExtentTable;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.List;

/**
 * An output that can be found. It keeps four bytes of heap per partition; the entries of the index
 * stay on the medium and are read, and checked, when they are asked for.
 *
 * <p>Thread contract: immutable, safe from any thread; not used after its application was freed.
 */
public final class CommittedOutput {
  private final Footer footer;
  private final int[] firstRuns;
  private final ExtentTable extents;
  private final SegmentHandle tail;

  private CommittedOutput(Footer footer, int[] firstRuns, ExtentTable extents, SegmentHandle tail) {
    this.footer = footer;
    this.firstRuns = firstRuns;
    this.extents = extents;
    this.tail = tail;
  }

  /** Reads and checks the whole index of a footer; {@code tail} is the segment it lies in. */
  static CommittedOutput load(Footer footer, ExtentTable extents, SegmentHandle tail)
      throws IOException {
    byte[] index = new byte[footer.indexLengthBytes()];
    tail.read(footer.indexOffsetBytes(), index);
    int[] firstRuns = OutputIndex.verify(ByteBuffer.wrap(index), footer);
    return new CommittedOutput(footer, firstRuns, extents, tail);
  }

  /** Its name. */
  public OutputId id() {
    return footer.id();
  }

  /** Generation of the lease that wrote it. */
  public long generation() {
    return footer.generation();
  }

  /** How many partitions the job has. */
  public int partitionCount() {
    return footer.partitionCount();
  }

  /** The runs of a partition in the order they were written, none if it has no records. */
  public List<Run> runs(int partition) throws IOException {
    if (partition < 0 || partition >= footer.partitionCount()) {
      throw new IllegalArgumentException(
          id() + " has partitions 0 to " + (footer.partitionCount() - 1) + ", not " + partition);
    }
    int runCount = firstRuns[partition + 1] - firstRuns[partition];
    return OutputIndex.decodeRuns(
        this::readIndex, partition, firstRuns[partition], runCount, footer, extents);
  }

  private ByteBuffer readIndex(long offsetBytes, int lengthBytes) throws IOException {
    byte[] bytes = new byte[lengthBytes];
    tail.read(footer.indexOffsetBytes() + offsetBytes, bytes);
    return ByteBuffer.wrap(bytes);
  }

  /** All extents, in logical order. */
  public List<Extent> extents() {
    return extents.extents();
  }

  /** Bytes of all runs. */
  public long totalBytes() {
    return footer.dataLengthBytes();
  }

  Footer footer() {
    return footer;
  }

  /** Sets the mark that makes it exist on the medium; if that fails, it does not exist. */
  void mark() throws IOException {
    try {
      tail.writeMark(footer.location().trailerOffsetBytes(), footer.commitMark());
    } catch (IOException | RuntimeException | Error e) {
      try {
        clearMark();
      } catch (IOException | RuntimeException | Error suppressed) {
        e.addSuppressed(suppressed);
      }
      throw e;
    }
  }

  /** Clears the mark, before its blocks are given to somebody else. */
  void clearMark() throws IOException {
    tail.writeMark(footer.location().trailerOffsetBytes(), 0);
  }
}
