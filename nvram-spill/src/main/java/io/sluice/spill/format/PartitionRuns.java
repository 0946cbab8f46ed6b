package io.sluice.spill.format;

import java.io.IOException;
import java.nio.ByteBuffer;

/**
 * The runs of one partition of an output, read from its index as they are asked for. Unlike {@link
 * OutputIndex#decodeRuns} it holds up to {@value #WINDOW_BYTES} bytes of entries at a time, and as
 * much of checksums: an index has a million runs, or a run a million checksums, and many may ask at
 * a time. Each read of an index on a disk is a turn at the device.
 *
 * <p>The owner of an output in memory can still write its index. So all that {@link #next} returns
 * is together no longer than the data, and has no more checksums than the index: nobody is made to
 * read the same bytes a million times.
 *
 * <p>Thread contract: one thread. Failure: {@link CorruptOutputException} if an entry is not what
 * was written.
 */
public final class PartitionRuns {
  static final int WINDOW_BYTES = 64 << 10;

  private static final int ENTRIES_AT_ONCE = WINDOW_BYTES / OutputIndex.RUN_BYTES;
  private static final int CRCS_AT_ONCE = WINDOW_BYTES / Integer.BYTES;

  /** So many where one run is asked for: who comes for it comes for those behind it, too. */
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

  /** Of a partition that the output has. */
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
   * The next of them, from the first on.
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
          "the runs of partition "
              + partition
              + " are longer than the "
              + identity.dataLengthBytes()
              + " bytes of data");
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

  /** The next one, if it {@link #hasFurtherCrc}. */
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
   * One of them, of which nothing but its entry is read, with some behind it.
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
          "partition "
              + partition
              + " of "
              + identity.id()
              + " has "
              + count
              + " runs, none of number "
              + ordinal);
    }
  }

  private static long endFurther(RunEntry run) {
    return run.firstFurther() + BlockChecksums.furtherBlocks(run.lengthBytes());
  }
}
