package io.sluice.spill.format;

import io.sluice.spill.format.PartitionRuns.RunEntry;
import io.sluice.spill.format.Run.RawLengths;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.zip.CRC32C;

/**
 * The index of an output: its runs, grouped by partition. All numbers are big-endian.
 *
 * <pre>
 *   0                                   8 x (partitions + 1)    + 48 x runs
 *  +-----------------------------------+-----------------------+-------------------------+
 *  | partitions x 8 bytes, and one     | runs x 48 bytes       | further CRCs x 4 bytes, |
 *  | more whose first run is the count |                       | run after run           |
 *  +-----------------------------------+-----------------------+-------------------------+
 *
 *  one partition
 *   0               4               8
 *  +---------------+---------------+
 *  | first run     | CRC32C of     |
 *  |               | number, first |
 *  +---------------+---------------+
 *
 *  one run
 *   0               4               8                              16
 *  +---------------+---------------+-------------------------------+
 *  | partition     | CRC32C first  | logical offset                |
 *  +---------------+---------------+-------------------------------+ 16
 *  | length                        | raw lengths (+)               |
 *  +-------------------------------+---------------+---------------+ 32
 *  | records                       | further CRC   | CRC32C (*)    |
 *  +-------------------------------+---------------+---------------+ 48
 *  CRC32C first: of the run's first block, see {@link BlockChecksums}
 *  further CRC:  the number of the first of its further blocks' CRCs
 *  (*) of this run's entry up to here
 *  (+) of the run and of its chunks, see {@link RawLengths}
 * </pre>
 *
 * <p>Each entry of a run or a partition has a CRC of its own, because a serving store keeps nothing
 * of an index: it reads single entries, long after it checked the whole. The further CRCs need
 * none: a damaged one looks like a damaged block, and both have the same remedy.
 */
public final class OutputIndex {
  /** Length of the entry of one run. */
  public static final int RUN_BYTES = 48;

  static final int PARTITION_BYTES = 8;
  private static final int FIRST_RUN_CRC_OFFSET = 4;

  private static final int PARTITION_OFFSET = 0;
  private static final int FIRST_CRC_OFFSET = 4;
  private static final int LOGICAL_OFFSET_OFFSET = 8;
  private static final int LENGTH_OFFSET = 16;
  private static final int RAW_LENGTHS_OFFSET = 24;
  private static final int RECORDS_OFFSET = 32;
  private static final int FURTHER_OFFSET = 40;
  private static final int ENTRY_CRC_OFFSET = 44;
  private static final int CRC_BYTES = 4;

  private OutputIndex() {}

  /** Reads some bytes of an index. */
  @FunctionalInterface
  public interface Source {
    /** Reads {@code lengthBytes} from an offset of the index on. */
    ByteBuffer read(long offsetBytes, int lengthBytes) throws IOException;
  }

  /**
   * Length of an index.
   *
   * @param furtherCrcs of all runs together
   */
  public static long encodedBytes(int partitionCount, int runCount, long furtherCrcs) {
    return furtherOffset(partitionCount, runCount) + CRC_BYTES * furtherCrcs;
  }

  private static long furtherOffset(int partitionCount, int runCount) {
    return runsOffset(partitionCount) + (long) RUN_BYTES * runCount;
  }

  /**
   * Most runs of a committed output with this number of partitions, with room left for the further
   * checksums of 64 GiB; whether more fit depends on {@link #encodedBytes}.
   */
  public static int maxRuns(int partitionCount) {
    long runsBytes =
        FooterLayout.MAX_BYTES - FooterLayout.MAX_BYTES / 8 - runsOffset(partitionCount);
    return (int) Math.max(0, runsBytes / RUN_BYTES);
  }

  /** Where the entries of the runs start. */
  public static long runsOffset(int partitionCount) {
    return PARTITION_BYTES * (partitionCount + 1L);
  }

  /** Encodes these runs in any order; the runs of a partition keep theirs. */
  public static ByteBuffer encode(int partitionCount, List<WrittenRun> runs) {
    long furtherCrcs = runs.stream().mapToLong(run -> run.checksums().furtherCount()).sum();
    long encodedBytes = encodedBytes(partitionCount, runs.size(), furtherCrcs);
    if (encodedBytes > FooterLayout.MAX_BYTES) {
      throw new IllegalArgumentException(
          String.format(
              "%s runs of %s partitions need an index of %s bytes, at most %s are allowed;"
                  + " merge runs before the commit",
              runs.size(), partitionCount, encodedBytes, FooterLayout.MAX_BYTES));
    }
    ByteBuffer index = ByteBuffer.allocate((int) encodedBytes);
    int[] nextRun = new int[partitionCount + 1];
    int[] nextFurther = new int[partitionCount + 1];
    for (WrittenRun run : runs) {
      nextRun[run.partition() + 1]++;
      nextFurther[run.partition() + 1] += run.checksums().furtherCount();
    }
    for (int partition = 0; partition <= partitionCount; partition++) {
      nextRun[partition] += partition == 0 ? 0 : nextRun[partition - 1];
      nextFurther[partition] += partition == 0 ? 0 : nextFurther[partition - 1];
      index.putInt(partition * PARTITION_BYTES, nextRun[partition]);
      index.putInt(
          partition * PARTITION_BYTES + FIRST_RUN_CRC_OFFSET,
          firstRunCrc(partition, nextRun[partition]));
    }
    int furtherOffset = (int) furtherOffset(partitionCount, runs.size());
    for (WrittenRun run : runs) {
      int ordinal = nextRun[run.partition()]++;
      int further = nextFurther[run.partition()];
      nextFurther[run.partition()] += run.checksums().furtherCount();
      putRun(index, (int) runsOffset(partitionCount) + ordinal * RUN_BYTES, run, further);
      putFurther(index, furtherOffset + further * CRC_BYTES, run.checksums());
    }
    return index;
  }

  /**
   * Reads the runs of neighbouring partitions; empty if the index has more than {@code mostBytes}
   * bytes of them.
   *
   * @throws CorruptOutputException if an entry is damaged
   */
  public static Optional<List<IndexedRun>> decodeRuns(
      Source index, int firstPartition, int endPartition, long mostBytes, OutputIdentity identity)
      throws IOException {
    int partitions = endPartition - firstPartition;
    int[] firstRuns = readFirstRuns(index, firstPartition, partitions, identity);
    int firstRun = firstRuns[0];
    int runCount = firstRuns[partitions] - firstRun;
    if (runCount == 0) {
      return Optional.of(List.of());
    }
    if ((long) runCount * RUN_BYTES > mostBytes) {
      return Optional.empty();
    }
    int[] partitionOf = new int[runCount];
    for (int p = 0; p < partitions; p++) {
      Arrays.fill(
          partitionOf, firstRuns[p] - firstRun, firstRuns[p + 1] - firstRun, firstPartition + p);
    }
    ByteBuffer entries = readEntries(index, firstRun, runCount, identity);
    long first = entries.getInt(FURTHER_OFFSET);
    long end = first;
    for (int i = 0; i < runCount; i++) {
      int entry = i * RUN_BYTES;
      checkEntry(entries, entry, partitionOf[i], identity);
      checkFurther(entries, entry, end, identity);
      end += BlockChecksums.furtherBlocks(entries.getLong(entry + LENGTH_OFFSET));
    }
    if (first < 0 || end > furtherCrcs(identity)) {
      throw corrupt(identity, "it has no further CRCs " + first + " to " + end);
    }
    if ((long) runCount * RUN_BYTES + (end - first) * CRC_BYTES > mostBytes) {
      return Optional.empty();
    }
    ByteBuffer crcs = ByteBuffer.allocate(0);
    if (end > first) {
      crcs = readFurther(index, first, (int) (end - first), identity);
    }
    List<IndexedRun> runs = new ArrayList<>(runCount);
    for (int i = 0; i < runCount; i++) {
      int ordinal = firstRun + i - firstRuns[partitionOf[i] - firstPartition];
      runs.add(decodeRun(entries, i * RUN_BYTES, partitionOf[i], ordinal, crcs));
    }
    return Optional.of(runs);
  }

  private static IndexedRun decodeRun(
      ByteBuffer entries, int entry, int partition, int ordinal, ByteBuffer crcs) {
    long lengthBytes = entries.getLong(entry + LENGTH_OFFSET);
    long rawLengths = entries.getLong(entry + RAW_LENGTHS_OFFSET);
    int[] further = new int[(int) BlockChecksums.furtherBlocks(lengthBytes)];
    for (int i = 0; i < further.length; i++) {
      further[i] = crcs.getInt();
    }
    Run run =
        new Run(
            partition,
            ordinal,
            lengthBytes,
            RawLengths.runBytes(rawLengths),
            RawLengths.chunkBytes(rawLengths),
            entries.getLong(entry + RECORDS_OFFSET),
            BlockChecksums.of(entries.getInt(entry + FIRST_CRC_OFFSET), further));
    return new IndexedRun(run, entries.getLong(entry + LOGICAL_OFFSET_OFFSET));
  }

  static long furtherCrcs(OutputIdentity identity) {
    long othersBytes = furtherOffset(identity.partitionCount(), identity.runCount());
    return (identity.indexLengthBytes() - othersBytes) / CRC_BYTES;
  }

  private static void putRun(ByteBuffer index, int entry, WrittenRun run, int further) {
    index.putInt(entry + PARTITION_OFFSET, run.partition());
    index.putInt(entry + FIRST_CRC_OFFSET, run.checksums().crc32c(0));
    index.putLong(entry + LOGICAL_OFFSET_OFFSET, run.logicalOffsetBytes());
    index.putLong(entry + LENGTH_OFFSET, run.lengthBytes());
    index.putLong(
        entry + RAW_LENGTHS_OFFSET, RawLengths.pack(run.rawLengthBytes(), run.chunkBytes()));
    index.putLong(entry + RECORDS_OFFSET, run.records());
    index.putInt(entry + FURTHER_OFFSET, further);
    index.putInt(entry + ENTRY_CRC_OFFSET, entryCrc(index, entry));
  }

  private static void putFurther(ByteBuffer index, int offset, BlockChecksums checksums) {
    for (int block = 1; block <= checksums.furtherCount(); block++) {
      index.putInt(offset + (block - 1) * CRC_BYTES, checksums.crc32c(block));
    }
  }

  private static int entryCrc(ByteBuffer entries, int entry) {
    CRC32C crc = new CRC32C();
    crc.update(entries.array(), entry, ENTRY_CRC_OFFSET);
    return (int) crc.getValue();
  }

  private static int firstRunCrc(int partition, int firstRun) {
    CRC32C crc = new CRC32C();
    crc.update(ByteBuffer.allocate(2 * Integer.BYTES).putInt(partition).putInt(firstRun).flip());
    return (int) crc.getValue();
  }

  /** The entries of runs by their numbers in all of the output. */
  static ByteBuffer readEntries(Source index, int firstRun, int count, OutputIdentity identity)
      throws IOException {
    return index.read(
        runsOffset(identity.partitionCount()) + (long) firstRun * RUN_BYTES,
        Math.multiplyExact(count, RUN_BYTES));
  }

  /** Where the run of an entry starts in the data. */
  static long offsetBytes(ByteBuffer entries, int entry) {
    return entries.getLong(entry + LOGICAL_OFFSET_OFFSET);
  }

  /** Length of the run of an entry. */
  static long lengthBytes(ByteBuffer entries, int entry) {
    return entries.getLong(entry + LENGTH_OFFSET);
  }

  /** Decodes an entry. */
  static RunEntry entry(ByteBuffer entries, int entry, int ordinal) {
    return new RunEntry(
        ordinal,
        entries.getInt(entry + FIRST_CRC_OFFSET),
        offsetBytes(entries, entry),
        lengthBytes(entries, entry),
        entries.getLong(entry + RAW_LENGTHS_OFFSET),
        entries.getLong(entry + RECORDS_OFFSET),
        entries.getInt(entry + FURTHER_OFFSET));
  }

  /** Further CRCs by their numbers in all of the output. */
  static ByteBuffer readFurther(Source index, long first, int count, OutputIdentity identity)
      throws IOException {
    long offsetBytes = furtherOffset(identity.partitionCount(), identity.runCount());
    return index.read(offsetBytes + first * CRC_BYTES, Math.multiplyExact(count, CRC_BYTES));
  }

  /** The first runs of some partitions, and of the one after them. */
  static int[] readFirstRuns(
      Source index, int firstPartition, int partitions, OutputIdentity identity)
      throws IOException {
    ByteBuffer table =
        index.read(
            (long) firstPartition * PARTITION_BYTES,
            Math.multiplyExact(partitions + 1, PARTITION_BYTES));
    int[] firstRuns = new int[partitions + 1];
    int atLeast = 0;
    for (int i = 0; i <= partitions; i++) {
      int partition = firstPartition + i;
      firstRuns[i] = table.getInt(i * PARTITION_BYTES);
      int expectedCrc = table.getInt(i * PARTITION_BYTES + FIRST_RUN_CRC_OFFSET);
      int actualCrc = firstRunCrc(partition, firstRuns[i]);
      if (actualCrc != expectedCrc) {
        throw corrupt(
            identity,
            "the CRC32C of partition %s is %s, expected %s"
                .formatted(partition, actualCrc, expectedCrc));
      }
      if (firstRuns[i] < atLeast || firstRuns[i] > identity.runCount()) {
        throw corrupt(
            identity,
            "the first run of partition %s is %s, expected %s to %s"
                .formatted(partition, firstRuns[i], atLeast, identity.runCount()));
      }
      atLeast = firstRuns[i];
    }
    return firstRuns;
  }

  static void checkEntry(ByteBuffer entries, int entry, int partition, OutputIdentity identity)
      throws IOException {
    int expectedCrc = entries.getInt(entry + ENTRY_CRC_OFFSET);
    int actualCrc = entryCrc(entries, entry);
    if (actualCrc != expectedCrc) {
      throw corrupt(
          identity,
          "the CRC32C of an entry of partition %s is %s, expected %s"
              .formatted(partition, actualCrc, expectedCrc));
    }
    if (entries.getInt(entry + PARTITION_OFFSET) != partition) {
      throw corrupt(
          identity,
          "an entry of partition %s says partition %s"
              .formatted(partition, entries.getInt(entry + PARTITION_OFFSET)));
    }
    long offsetBytes = entries.getLong(entry + LOGICAL_OFFSET_OFFSET);
    long lengthBytes = entries.getLong(entry + LENGTH_OFFSET);
    if (offsetBytes < 0
        || lengthBytes < 0
        || offsetBytes > identity.dataLengthBytes() - lengthBytes
        || !RawLengths.areValid(entries.getLong(entry + RAW_LENGTHS_OFFSET))
        || entries.getLong(entry + RECORDS_OFFSET) < 0) {
      throw corrupt(
          identity,
          String.format(
              "a run of partition %s lies at %s with length %s, outside the %s bytes of"
                  + " data, or has an impossible count",
              partition, offsetBytes, lengthBytes, identity.dataLengthBytes()));
    }
  }

  static void checkFurther(ByteBuffer entries, int entry, long expected, OutputIdentity identity)
      throws IOException {
    int actual = entries.getInt(entry + FURTHER_OFFSET);
    if (actual != expected) {
      throw corrupt(
          identity, "the further CRCs of a run begin at " + actual + ", expected " + expected);
    }
  }

  static CorruptOutputException corrupt(OutputIdentity identity, String message) {
    return new CorruptOutputException(
        "the index of %s at its byte %s is not valid: %s"
            .formatted(identity.id(), identity.indexOffsetBytes(), message));
  }

  /**
   * A run and its offset, as the index holds them.
   *
   * @param run the run
   * @param logicalOffsetBytes where it starts in the concatenation of the output's extents
   */
  public record IndexedRun(Run run, long logicalOffsetBytes) {}
}
