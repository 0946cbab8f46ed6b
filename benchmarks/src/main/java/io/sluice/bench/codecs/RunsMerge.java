package io.sluice.bench.codecs;

import java.io.IOException;
import java.util.zip.CRC32C;

/** Runs that are kept as a variant reads them, and its merge of them. One thread. */
interface RunsMerge extends SortedRuns.Sink {
  /** Of the runs before they are compressed. */
  long rawBytes();

  /** Of the runs as they are read. */
  long storedBytes();

  /** Raw bytes of the runs' chunks; 0 if they have none. */
  int chunkBytes();

  /** Merges all of them, and leaves them for the next time. */
  Outcome merge() throws IOException;

  /**
   * Of a merge.
   *
   * @param output what came out
   * @param rewrittenRecords that were written by merges before the last one
   */
  record Outcome(RecordsDigest.Sum output, long rewrittenRecords) {}

  /**
   * What comes out of a merge in a few bytes: records in another order are another digest.
   *
   * <p>Not thread-safe.
   */
  static final class RecordsDigest {
    private final CRC32C crc = new CRC32C();
    private long records;

    /**
     * All of the records.
     *
     * @param records how many
     * @param crc32c of their serialized keys and values, one behind the other
     */
    record Sum(long records, long crc32c) {}

    /**
     * Adds a record; serialized texts begin with their lengths, so that nothing else looks alike.
     */
    void add(
        byte[] key, int keyOffset, int keyLength, byte[] value, int valueOffset, int valueLength) {
      crc.update(key, keyOffset, keyLength);
      crc.update(value, valueOffset, valueLength);
      records++;
    }

    Sum sum() {
      return new Sum(records, crc.getValue());
    }
  }
}
