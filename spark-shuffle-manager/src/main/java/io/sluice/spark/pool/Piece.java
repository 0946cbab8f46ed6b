package io.sluice.spark.pool;

import io.sluice.spill.format.BlockChecksums;
import io.sluice.spill.format.BlockSummer;
import java.nio.ByteBuffer;

/**
 * Some bytes of a partition on their way into a pool, as they will lie there, with the checksums
 * that readers verify.
 *
 * @param bytes from the position to the limit
 * @param records how many of them it counts for
 * @param checksums of the bytes
 */
record Piece(ByteBuffer bytes, long records, BlockChecksums checksums) {

  /** Sums the bytes up. */
  static Piece of(ByteBuffer bytes, long records) {
    return new Piece(bytes, records, BlockSummer.sum(bytes));
  }
}
