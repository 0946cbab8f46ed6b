package io.sluice.spill.format;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.security.SecureRandom;
import java.util.zip.CRC32C;

/**
 * Checks a whole index before its output is published: its checksum, each entry, and that the runs
 * cover all of the data. An index may be {@link FooterLayout#MAX_BYTES} long, and many tasks commit
 * at a time. So it is read {@value #WINDOW_BYTES} bytes at a time, and none of it is kept. A short
 * index is read once.
 *
 * <p>Runs that overlap are found without a list of them. A writer leaves no gap, so that each run
 * starts at 0 or where another ends, and one ends at the end of the data: the sum over all runs of
 * a hash of the start less that of the end is then that of 0 less that of the data's length. Of
 * other sets of runs one in 2^64 has this sum. The writer of an index cannot search for one, since
 * the hash has a key that only this process knows.
 *
 * <p>Thread contract: one thread. Failure: {@link CorruptOutputException} if anything does not
 * hold.
 */
public final class IndexVerifier {
  static final int WINDOW_BYTES = 256 << 10;

  private static final long HASH_KEY = new SecureRandom().nextLong();
  private static final int ENTRIES_AT_ONCE = WINDOW_BYTES / OutputIndex.RUN_BYTES;
  private static final int PARTITIONS_AT_ONCE = WINDOW_BYTES / OutputIndex.PARTITION_BYTES - 1;

  private final OutputIndex.Source index;
  private final OutputIdentity identity;
  private final CRC32C crc = new CRC32C();
  private int partition = -1;
  private int endRun; // of that partition
  private int[] firstRuns = {0}; // of those from tableStart on, and of the one after them
  private int tableStart;
  private long sumBytes;
  private long furtherCrcs;
  private long links;

  /**
   * Checks an index: counts, entries, and that the runs are all of the data.
   *
   * @throws CorruptOutputException if anything does not hold
   */
  public static void verify(OutputIndex.Source index, OutputIdentity identity) throws IOException {
    new IndexVerifier(index, identity).run();
  }

  private IndexVerifier(OutputIndex.Source index, OutputIdentity identity) throws IOException {
    this.index = identity.indexLengthBytes() > WINDOW_BYTES ? index : whole(index, identity);
    this.identity = identity;
  }

  private static OutputIndex.Source whole(OutputIndex.Source index, OutputIdentity identity)
      throws IOException {
    ByteBuffer bytes = index.read(0, identity.indexLengthBytes());
    return (offsetBytes, lengthBytes) -> {
      byte[] part = new byte[lengthBytes];
      bytes.get((int) offsetBytes, part);
      return ByteBuffer.wrap(part);
    };
  }

  private void run() throws IOException {
    checkCrc();
    for (int first = 0; first < identity.runCount(); first += ENTRIES_AT_ONCE) {
      int count = Math.min(ENTRIES_AT_ONCE, identity.runCount() - first);
      ByteBuffer entries = OutputIndex.readEntries(index, first, count, identity);
      for (int i = 0; i < count; i++) {
        checkRun(entries, i * OutputIndex.RUN_BYTES, first + i);
      }
    }
    checkPartitionsBehind();
    if (furtherCrcs != OutputIndex.furtherCrcs(identity)) {
      throw corrupt(
          "its runs have %s further CRCs, it holds %s"
              .formatted(furtherCrcs, OutputIndex.furtherCrcs(identity)));
    }
    if (links != hash(0) - hash(identity.dataLengthBytes())) {
      throw corrupt(
          "a run overlaps another, or the runs leave some of the "
              + identity.dataLengthBytes()
              + " bytes of data out");
    }
  }

  private void checkCrc() throws IOException {
    long lengthBytes = identity.indexLengthBytes();
    for (long from = 0; from < lengthBytes; from += WINDOW_BYTES) {
      crc.update(index.read(from, (int) Math.min(WINDOW_BYTES, lengthBytes - from)));
    }
    if ((int) crc.getValue() != identity.indexCrc32c()) {
      throw corrupt(
          "its CRC32C is " + (int) crc.getValue() + ", expected " + identity.indexCrc32c());
    }
  }

  private void checkRun(ByteBuffer entries, int entry, int run) throws IOException {
    while (run >= endRun) {
      nextPartition();
    }
    OutputIndex.checkEntry(entries, entry, partition, identity);
    long offsetBytes = OutputIndex.offsetBytes(entries, entry);
    long lengthBytes = OutputIndex.lengthBytes(entries, entry);
    sumBytes += lengthBytes;
    if (sumBytes < 0 || sumBytes > identity.dataLengthBytes()) {
      throw corrupt(
          "its runs are longer than the " + identity.dataLengthBytes() + " bytes of data");
    }
    OutputIndex.checkFurther(entries, entry, furtherCrcs, identity);
    furtherCrcs += BlockChecksums.furtherBlocks(lengthBytes);
    links += hash(offsetBytes) - hash(offsetBytes + lengthBytes);
  }

  private void nextPartition() throws IOException {
    partition++;
    if (partition == identity.partitionCount()) {
      throw corrupt("its partitions have " + endRun + " runs, expected " + identity.runCount());
    }
    if (partition == tableStart + firstRuns.length - 1) {
      int count = Math.min(PARTITIONS_AT_ONCE, identity.partitionCount() - partition);
      firstRuns = OutputIndex.readFirstRuns(index, partition, count, identity);
      tableStart = partition;
    }
    int firstRun = firstRuns[partition - tableStart];
    if (firstRun != endRun) {
      throw corrupt(
          "partition " + partition + " begins with run " + firstRun + ", expected " + endRun);
    }
    endRun = firstRuns[partition - tableStart + 1];
  }

  /** Partitions behind that of the last run have none. */
  private void checkPartitionsBehind() throws IOException {
    while (partition + 1 < identity.partitionCount()) {
      nextPartition();
    }
  }

  /** The finalizer of SplitMix64: sums of different hashes differ. */
  private static long hash(long offsetBytes) {
    long mixed = (offsetBytes ^ HASH_KEY) + 0x9E3779B97F4A7C15L;
    mixed = (mixed ^ mixed >>> 30) * 0xBF58476D1CE4E5B9L;
    mixed = (mixed ^ mixed >>> 27) * 0x94D049BB133111EBL;
    return mixed ^ mixed >>> 31;
  }

  private CorruptOutputException corrupt(String message) {
    return OutputIndex.corrupt(identity, message);
  }
}
