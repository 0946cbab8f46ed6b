package io.sluice.spill.store;

import io.sluice.spill.format.Footer;
import io.sluice.spill.format.IndexedRun;
import io.sluice.spill.format.LocatedRun;
import io.sluice.spill.format.OutputId;
import io.sluice.spill.format.OutputIndex;
import io.sluice.spill.format.Run;
import io.sluice.spill.format.RunPlace;
import io.sluice.spill.segment.Extent;
import io.sluice.spill.segment.ExtentTable;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.List;

/**
 * An output that can be found. What it keeps on the heap does not grow with its partitions or runs,
 * only by its extents: the index stays on the medium and is read, and checked, when it is asked
 * for.
 *
 * <p>Thread contract: immutable, safe from any thread; not used after its application was freed.
 */
public final class CommittedOutput {
  private final Footer footer;
  private final ExtentTable extents;
  private final SegmentHandle tail;

  private CommittedOutput(Footer footer, ExtentTable extents, SegmentHandle tail) {
    this.footer = footer;
    this.extents = extents;
    this.tail = tail;
  }

  /** Reads and checks the whole index of a footer; {@code tail} is the segment it lies in. */
  static CommittedOutput load(Footer footer, ExtentTable extents, SegmentHandle tail)
      throws IOException {
    byte[] index = new byte[footer.indexLengthBytes()];
    tail.read(footer.indexOffsetBytes(), index);
    OutputIndex.verify(ByteBuffer.wrap(index), footer);
    return new CommittedOutput(footer, extents, tail);
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
  public List<LocatedRun> runs(int partition) throws IOException {
    return runs(partition, partition + 1);
  }

  /** The runs of neighbouring partitions, one partition after the other. */
  public List<LocatedRun> runs(int firstPartition, int endPartition) throws IOException {
    if (firstPartition < 0
        || endPartition < firstPartition
        || endPartition > footer.partitionCount()) {
      throw new IllegalArgumentException(
          id()
              + " has partitions 0 to "
              + (footer.partitionCount() - 1)
              + ", not "
              + firstPartition
              + " to "
              + (endPartition - 1));
    }
    return OutputIndex.decodeRuns(this::readIndex, firstPartition, endPartition, footer).stream()
        .map(this::located)
        .toList();
  }

  private LocatedRun located(IndexedRun indexed) {
    Run run = indexed.run();
    return new LocatedRun(
        run,
        new RunPlace(
            footer.poolId(),
            footer.generation(),
            extents.ranges(indexed.logicalOffsetBytes(), run.lengthBytes())));
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

  /** Sets the mark that makes it exist on the medium, where it may be even if that fails. */
  void mark() throws IOException {
    tail.writeMark(footer.location().trailerOffsetBytes(), footer.commitMark());
  }

  /** Clears the mark, before its blocks are given to somebody else. */
  void clearMark() throws IOException {
    tail.writeMark(footer.location().trailerOffsetBytes(), 0);
  }
}
