package io.sluice.bench.codecs;

import java.util.zip.CRC32C;

/**
 * What comes out of a merge in a few bytes: records in another order are another digest.
 *
 * <p>Not thread-safe.
 */
final class RecordsDigest {
  private final CRC32C crc = new CRC32C();
  private long records;

  /**
   * All of the records.
   *
   * @param records how many
   * @param crc32c of their serialized keys and values, one behind the other
   */
  record Sum(long records, long crc32c) {}

  /** Adds a record; serialized texts begin with their lengths, so that nothing else looks alike. */
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
