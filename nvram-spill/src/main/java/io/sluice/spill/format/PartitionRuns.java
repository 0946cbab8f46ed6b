package io.sluice.spill.format;

import java.io.IOException;
import java.nio.ByteBuffer;

/**
 * The runs of one partition of an output, read from its index one after the other. Unlike {@link
 * OutputIndex#decodeRuns} it holds at most {@value #WINDOW_BYTES} bytes of entries, and as much of
 * checksums: an index may have a million runs, a run a million checksums, and many readers may ask
 * at a time. Each read of an index on a disk is a request to the device.
 *
 * <p>The owner of an output in memory can still write to its index. So the runs of {@link #next}
 * are together no longer than the data, and have no more checksums than the index: no reader can be
 * made to read the same bytes a million times.
 *
 * <p>Thread contract: one thread. Failure: {@link CorruptOutputException} if an entry is damaged.
 */
public final class PartitionRuns {
  static final int WINDOW_BYTES = 64 << 10;

  private static final int ENTRIES_AT_ONCE = WINDOW_BYTES / OutputIndex.RUN_BYTES;
  private static final int CRCS_AT_ONCE = WINDOW_BYTES / Integer.BYTES;

  /** Entries read for one run: its reader asks for the runs behind it as well. */
  private static final int NEIGHBOURS_AT_ONCE = 64;

  private final OutputIndex.Source index;
  private final int partition;
  private final OutputIdentity identity;
  private final int firstRun;
  private final int count;
  private ByteBuffer entries = ByteBuffer.allocate(0);
  private int entriesStart; // which run's entry is the first of them
  private int nextOrdinal;
  private long sumBytes;
  private ByteBuffer crcs = ByteBuffer.allocate(0);
  private long crcsStart; // which of the index's further checksums is the first of them
  private long nextFurther; // of the run that was the last of next()
  private long endFurther;

  /** Opens the runs of a partition that the output has. */
  public PartitionRuns(OutputIndex.Source index, int partition, OutputIdentity identity)
      throws IOException {
    this.index = index;
    this.partition = partition;
    this.identity = identity;
    int[] firstRuns = OutputIndex.readFirstRuns(index, partition, 1, identity);
    this.firstRun = firstRuns[0];
    this.count = firstRuns[1] - firstRuns[0];
  }

  /** How many there are. */
  public int count() {
    return count;
  }

  /**
   * The next run, from the first on.
   *
   * @throws IllegalArgumentException if there are no more
   */
  public RunEntry next() throws IOException {
    RunEntry run = read(nextOrdinal, ENTRIES_AT_ONCE);
    if (nextOrdinal > 0) {
      OutputIndex.checkFurther(entries, entryOffset(nextOrdinal), endFurther, identity);
    }
    sumBytes += run.lengthBytes();
    if (sumBytes > identity.dataLengthBytes()) {
      throw OutputIndex.corrupt(
          identity,
          "the runs of partition %s are longer than the %s bytes of data"
              .formatted(partition, identity.dataLengthBytes()));
    }
    nextFurther = run.firstFurther();
    endFurther = endFurther(run);
    nextOrdinal++;
    return run;
  }

  /** Whether the run that {@link #next} returned has a further checksum that was not read yet. */
  public boolean hasFurtherCrc() {
    return nextFurther < endFurther;
  }

  /** The next further checksum, if it {@link #hasFurtherCrc}. */
  public int nextFurtherCrc() throws IOException {
    long offset = (nextFurther - crcsStart) * Integer.BYTES;
    if (offset >= crcs.capacity()) {
      long some = Math.min(CRCS_AT_ONCE, OutputIndex.furtherCrcs(identity) - nextFurther);
      crcs = OutputIndex.readFurther(index, nextFurther, (int) some, identity);
      crcsStart = nextFurther;
      offset = 0;
    }
    nextFurther++;
    return crcs.getInt((int) offset);
  }

  /**
   * One run by its number. Only its entry is read, and some entries behind it.
   *
   * @throws IllegalArgumentException if there is none of that number
   */
  public RunEntry run(int ordinal) throws IOException {
    return read(ordinal, NEIGHBOURS_AT_ONCE);
  }

  private RunEntry read(int ordinal, int atOnce) throws IOException {
    requireRun(ordinal);
    if (ordinal < entriesStart || entryOffset(ordinal) >= entries.capacity()) {
      int some = Math.min(atOnce, count - ordinal);
      entries = OutputIndex.readEntries(index, firstRun + ordinal, some, identity);
      entriesStart = ordinal;
    }
    int entry = entryOffset(ordinal);
    OutputIndex.checkEntry(entries, entry, partition, identity);
    RunEntry run = OutputIndex.entry(entries, entry, ordinal);
    if (run.firstFurther() < 0 || endFurther(run) > OutputIndex.furtherCrcs(identity)) {
      throw OutputIndex.corrupt(
          identity, "it has no further CRCs " + run.firstFurther() + " to " + endFurther(run));
    }
    return run;
  }

  private int entryOffset(int ordinal) {
    return (ordinal - entriesStart) * OutputIndex.RUN_BYTES;
  }

  private void requireRun(int ordinal) {
    if (ordinal < 0 || ordinal >= count) {
      throw new IllegalArgumentException(
          "partition %s of %s has %s runs, none of number %s"
              .formatted(partition, identity.id(), count, ordinal));
    }
  }

  private static long endFurther(RunEntry run) {
    return run.firstFurther() + BlockChecksums.furtherBlocks(run.lengthBytes());
  }

  /**
   * The entry of a run in the index, without the checksums behind the first.
   *
   * @param ordinal its number among the runs of its partition, from 0 on
   * @param firstCrc32c of its first block
   * @param logicalOffsetBytes where it starts in the concatenation of the output's extents
   * @param lengthBytes length as stored
   * @param rawLengths its length and that of its chunks before compression, see {@link
   *     Run.RawLengths}
   * @param records how many records
   * @param firstFurther the number of the first of its further checksums in the index
   */
  public record RunEntry(
      int ordinal,
      int firstCrc32c,
      long logicalOffsetBytes,
      long lengthBytes,
      long rawLengths,
      long records,
      int firstFurther) {}
}
