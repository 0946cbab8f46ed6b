package io.sluice.spark.pool;

import io.sluice.spill.format.BlockChecksummer;
import io.sluice.spill.format.BlockChecksums;
import java.nio.ByteBuffer;

/**
 * Some bytes of a partition on their way into a pool, as they will lie there, with the checksums
 * that readers verify.
 *
 * @param bytes from the position to the limit
 * @param records how many of them it counts for
 * @param checksums of the bytes
 */
record PartitionChunk(ByteBuffer bytes, long records, BlockChecksums checksums) {

  /** Sums the bytes up. */
  static PartitionChunk of(ByteBuffer bytes, long records) {
    return new PartitionChunk(bytes, records, BlockChecksummer.sum(bytes));
  }
}
