package io.sluice.spill.store;

import io.sluice.spill.format.IndexVerifier;
import io.sluice.spill.format.LocatedRun;
import io.sluice.spill.format.LocatedRun.RunLocation;
import io.sluice.spill.format.OutputId;
import io.sluice.spill.format.OutputIdentity;
import io.sluice.spill.format.OutputIndex;
import io.sluice.spill.format.OutputIndex.IndexedRun;
import io.sluice.spill.format.PartitionRuns;
import io.sluice.spill.format.PartitionRuns.RunEntry;
import io.sluice.spill.format.Run;
import io.sluice.spill.segment.Extent;
import io.sluice.spill.segment.Range;
import io.sluice.spill.store.OutputLocation.UnreadableSegmentException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.Optional;

/**
 * An output that can be found: its bytes, and the location where they lie now. It takes more heap
 * for each extent, but not for each partition or run. The index stays on the medium, and is read
 * and checked when it is wanted.
 *
 * <p>Thread contract: immutable, safe from any thread; not used after its application was freed.
 */
public final class CommittedOutput {
  private final OutputIdentity identity;
  private final OutputLocation location;

  private CommittedOutput(OutputIdentity identity, OutputLocation location) {
    this.identity = identity;
    this.location = location;
  }

  /** Reads and checks the whole index of an output at a location. */
  static CommittedOutput load(OutputIdentity identity, OutputLocation location) throws IOException {
    IndexVerifier.verify(
        (offsetBytes, lengthBytes) -> {
          byte[] bytes = new byte[lengthBytes];
          location.read(identity.indexOffsetBytes() + offsetBytes, bytes);
          return ByteBuffer.wrap(bytes);
        },
        identity);
    return new CommittedOutput(identity, location);
  }

  /** The same of an index that was checked, where it lies here, too. */
  static CommittedOutput checked(OutputIdentity identity, OutputLocation location) {
    return new CommittedOutput(identity, location);
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
    return runs(firstPartition, endPartition, Long.MAX_VALUE).orElseThrow();
  }

  /** The same; empty if the index has more than {@code mostBytes} of them. */
  public Optional<List<LocatedRun>> runs(int firstPartition, int endPartition, long mostBytes)
      throws IOException {
    checkPartitions(firstPartition, endPartition);
    location.tell();
    return OutputIndex.decodeRuns(
            this::readIndex, firstPartition, endPartition, mostBytes, identity)
        .map(indexed -> indexed.stream().map(this::located).toList());
  }

  /**
   * The runs of a partition, however many, to be read one after the other. They fail with an {@link
   * IOException} when the output has left its location.
   */
  public PartitionRuns partitionRuns(int partition) throws IOException {
    checkPartitions(partition, partition + 1);
    location.tell();
    return new PartitionRuns(this::readHeldIndex, partition, identity);
  }

  /** Where some bytes of a run lie, in order; empty for none. */
  public List<Range> ranges(RunEntry run, long offsetBytes, long lengthBytes) {
    return location.ranges(run.logicalOffsetBytes() + offsetBytes, lengthBytes);
  }

  /** The same as {@link #runs(int, int)} by logical offsets, wherever they lie. */
  public List<IndexedRun> indexedRuns(int firstPartition, int endPartition) throws IOException {
    checkPartitions(firstPartition, endPartition);
    return OutputIndex.decodeRuns(
            this::readIndex, firstPartition, endPartition, Long.MAX_VALUE, identity)
        .orElseThrow();
  }

  private void checkPartitions(int firstPartition, int endPartition) {
    if (firstPartition < 0
        || endPartition < firstPartition
        || endPartition > identity.partitionCount()) {
      throw new IllegalArgumentException(
          "%s has partitions 0 to %s, not %s to %s"
              .formatted(id(), identity.partitionCount() - 1, firstPartition, endPartition - 1));
    }
  }

  private LocatedRun located(IndexedRun indexed) {
    Run run = indexed.run();
    return new LocatedRun(
        run,
        new RunLocation(
            location.poolId(),
            location.generation(),
            location.ranges(indexed.logicalOffsetBytes(), run.lengthBytes())));
  }

  private ByteBuffer readHeldIndex(long offsetBytes, int lengthBytes) throws IOException {
    ByteBuffer bytes = readIndex(offsetBytes, lengthBytes);
    if (!location.isHeld()) {
      throw new IOException(id() + " has left its place while its index was read");
    }
    return bytes;
  }

  private ByteBuffer readIndex(long offsetBytes, int lengthBytes) throws IOException {
    byte[] bytes = new byte[lengthBytes];
    try {
      location.read(identity.indexOffsetBytes() + offsetBytes, bytes);
    } catch (UnreadableSegmentException e) {
      throw e.failure();
    }
    return ByteBuffer.wrap(bytes);
  }

  /**
   * Fills {@code destination}, whose position is 0, with a run's bytes. They are the output's if
   * its location {@link OutputLocation#isHeld} afterwards.
   *
   * @param located as {@link #runs} gave it
   */
  public void copyTo(LocatedRun located, ByteBuffer destination) throws IOException {
    location.copyTo(located.location().ranges(), destination);
  }

  /** Whether all of a run lies in memory that this process has mapped and may touch. */
  public boolean isMapped(LocatedRun located) {
    return location.isMapped(located.location().ranges());
  }

  /** Where it lies. */
  public OutputLocation location() {
    return location;
  }

  /** All extents, in logical order. */
  public List<Extent> extents() {
    return location.extents();
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
