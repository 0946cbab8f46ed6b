package io.sluice.spark.pool;

import java.nio.ByteBuffer;
import java.util.zip.CRC32C;

/**
 * Some bytes of a partition on their way into a pool, with the checksum that readers verify.
 *
 * @param bytes from the position to the limit
 * @param records how many of them it counts for
 * @param crc32c of the bytes
 */
public record Piece(ByteBuffer bytes, long records, int crc32c) {

  /** Sums the bytes up. */
  public static Piece of(ByteBuffer bytes, long records) {
    CRC32C crc = new CRC32C();
    crc.update(bytes.duplicate());
    return new Piece(bytes, records, (int) crc.getValue());
  }
}
