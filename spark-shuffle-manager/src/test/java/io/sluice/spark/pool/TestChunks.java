package io.sluice.spark.pool;

import io.sluice.spark.pool.MapOutput.PartitionChunk;
import io.sluice.spill.format.BlockChecksums;
import java.io.IOException;
import java.nio.ByteBuffer;

/** Writes chunks for tests of other packages. */
public final class TestChunks {
  private TestChunks() {}

  /** Appends to partition 0 what may have other checksums. */
  public static void append(MapOutput output, ByteBuffer bytes, BlockChecksums checksums)
      throws IOException {
    output.append(0, new PartitionChunk(bytes, 1, checksums));
  }
}
