package io.sluice.spill.store;

import io.sluice.spill.format.IndexedRun;
import io.sluice.spill.format.LocatedRun;
import io.sluice.spill.format.OutputId;
import io.sluice.spill.format.OutputIdentity;
import io.sluice.spill.format.OutputIndex;
import io.sluice.spill.format.Run;
import io.sluice.spill.format.RunPlace;
import io.sluice.spill.segment.Extent;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;

/**
 * An output that can be found: which bytes it is, and the place where they lie now. What it keeps
 * on the heap does not grow with its partitions or runs, only by its extents: the index stays on
 * the medium and is read, and checked, when it is asked for.
 *
 * <p>Thread contract: immutable, safe from any thread; not used after its application was freed.
 */
public final class CommittedOutput {
  private final OutputIdentity identity;
  private final OutputPlace place;

  private CommittedOutput(OutputIdentity identity, OutputPlace place) {
    this.identity = identity;
    this.place = place;
  }

  /** Reads and checks the whole index of an output at a place. */
  static CommittedOutput load(OutputIdentity identity, OutputPlace place) throws IOException {
    byte[] index = new byte[identity.indexLengthBytes()];
    place.read(identity.indexOffsetBytes(), index);
    OutputIndex.verify(ByteBuffer.wrap(index), identity);
    return new CommittedOutput(identity, place);
  }

  /** The same of an index that was checked, where it lies here, too. */
  static CommittedOutput checked(OutputIdentity identity, OutputPlace place) {
    return new CommittedOutput(identity, place);
  }

  /** Its name. */
  public OutputId id() {
    return identity.id();
  }

  /** How many partitions the job has. */
  public int partitionCount() {
    return identity.partitionCount();
  }

  /** The runs of a partition in the order they were written, none if it has no records. */
  public List<LocatedRun> runs(int partition) throws IOException {
    return runs(partition, partition + 1);
  }

  /** The runs of neighbouring partitions, one partition after the other. */
  public List<LocatedRun> runs(int firstPartition, int endPartition) throws IOException {
    place.tell();
    List<IndexedRun> indexed = indexedRuns(firstPartition, endPartition);
    List<LocatedRun> located = new ArrayList<>(indexed.size());
    for (IndexedRun run : indexed) {
      located.add(located(run));
    }
    return located;
  }

  /** The same by logical offsets, wherever they lie. */
  public List<IndexedRun> indexedRuns(int firstPartition, int endPartition) throws IOException {
    if (firstPartition < 0
        || endPartition < firstPartition
        || endPartition > identity.partitionCount()) {
      throw new IllegalArgumentException(
          id()
              + " has partitions 0 to "
              + (identity.partitionCount() - 1)
              + ", not "
              + firstPartition
              + " to "
              + (endPartition - 1));
    }
    return OutputIndex.decodeRuns(this::readIndex, firstPartition, endPartition, identity);
  }

  private LocatedRun located(IndexedRun indexed) {
    Run run = indexed.run();
    return new LocatedRun(
        run,
        new RunPlace(
            place.poolId(),
            place.generation(),
            place.ranges(indexed.logicalOffsetBytes(), run.lengthBytes())));
  }

  private ByteBuffer readIndex(long offsetBytes, int lengthBytes) throws IOException {
    byte[] bytes = new byte[lengthBytes];
    try {
      place.read(identity.indexOffsetBytes() + offsetBytes, bytes);
    } catch (UnreadableSegmentException e) {
      throw e.failure();
    }
    return ByteBuffer.wrap(bytes);
  }

  /**
   * Fills {@code destination}, whose position is 0, with a run's bytes. They are the output's if
   * its place {@link OutputPlace#isHeld} afterwards.
   *
   * @param located as {@link #runs} gave it
   */
  public void copyTo(LocatedRun located, ByteBuffer destination) throws IOException {
    place.copyTo(located.place().ranges(), destination);
  }

  /** Whether all of a run lies in memory that this process has mapped and may touch. */
  public boolean isMapped(LocatedRun located) {
    return place.isMapped(located.place().ranges());
  }

  /** Where it lies. */
  public OutputPlace place() {
    return place;
  }

  /** All extents, in logical order. */
  public List<Extent> extents() {
    return place.extents();
  }

  /** Bytes of all runs. */
  public long totalBytes() {
    return identity.dataLengthBytes();
  }

  OutputIdentity identity() {
    return identity;
  }

  /** Whether the other one is the same bytes, wherever they lie. */
  boolean hasTheBytesOf(CommittedOutput other) {
    return identity.equals(other.identity);
  }
}
