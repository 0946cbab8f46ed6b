package io.sluice.spark.write;

import java.io.OutputStream;
import org.apache.spark.SparkConf;
import org.apache.spark.SparkEnv;
import org.apache.spark.internal.config.ConfigEntry;
import org.apache.spark.internal.config.package$;
import org.apache.spark.serializer.SerializerManager;
import org.apache.spark.storage.BlockId;

/**
 * Spark's codec for partitions of known length: where that is LZ4 or Snappy, and the partition
 * shorter than the default of their blocks, with blocks no longer than it is. These codecs take and
 * clear a whole block's memory, twice, for each stream, which is more work than a short partition
 * is. What they put out says how long its blocks are, so that Spark reads it as ever.
 *
 * <p>Only where Spark encrypts no blocks. Thread contract: safe from any thread, as Spark's own.
 */
public final class FittingCodecs {
  /** The shortest block that LZ4's frames tell from another. */
  private static final int SHORTEST_LOG2_BYTES = 10;

  private static final int LONGEST_LOG2_BYTES = 15; // as long as Spark's own default

  private final SparkConf conf;
  private final SerializerManager[] byLog2Bytes = new SerializerManager[LONGEST_LOG2_BYTES];

  /**
   * With the settings of now, as Spark's reading side has them: what is changed later in a running
   * application is for neither.
   */
  public FittingCodecs(SparkConf conf) {
    this.conf = conf.clone();
  }

  /** Compresses what goes to {@code destination}, if Spark would. */
  OutputStream wrap(BlockId id, OutputStream destination, long lengthBytes) {
    int log2Bytes = Long.SIZE - Long.numberOfLeadingZeros(Math.max(0, lengthBytes - 1));
    return log2Bytes >= LONGEST_LOG2_BYTES
        ? SparkEnv.get().serializerManager().wrapStream(id, destination)
        : fitting(Math.max(SHORTEST_LOG2_BYTES, log2Bytes)).wrapStream(id, destination);
  }

  private synchronized SerializerManager fitting(int log2Bytes) {
    if (byLog2Bytes[log2Bytes] == null) {
      SparkConf shorter = conf.clone();
      package$ config = package$.MODULE$;
      shorten(shorter, config.IO_COMPRESSION_LZ4_BLOCKSIZE(), 1L << log2Bytes);
      shorten(shorter, config.IO_COMPRESSION_SNAPPY_BLOCKSIZE(), 1L << log2Bytes);
      byLog2Bytes[log2Bytes] = new SerializerManager(SparkEnv.get().serializer(), shorter);
    }
    return byLog2Bytes[log2Bytes];
  }

  private static void shorten(SparkConf conf, ConfigEntry<Object> entry, long blockBytes) {
    long setBytes = ((Number) conf.get(entry)).longValue();
    conf.set(entry.key(), Math.min(setBytes, blockBytes) + "b");
  }
}
