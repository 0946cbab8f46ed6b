package io.sluice.spark.write;

import java.io.OutputStream;
import org.apache.spark.SparkConf;
import org.apache.spark.SparkEnv;
import org.apache.spark.internal.config.ConfigEntry;
import org.apache.spark.internal.config.package$;
import org.apache.spark.serializer.SerializerManager;
import org.apache.spark.storage.BlockId;

/**
 * Compresses a partition with blocks no longer than the partition, if the codec is LZ4 or Snappy.
 * For each stream, these codecs allocate and clear the memory of a whole block twice, which is more
 * work than compressing a short partition. The compressed data carry the length of their blocks, so
 * Spark reads them as usual.
 *
 * <p>There is a serializer manager for each power of two, because the work grows with the block:
 * with fewer sizes, partitions would use blocks of several times their length.
 *
 * <p>It serves only shuffles that Spark does not encrypt. Thread contract: safe from any thread, as
 * Spark's own.
 */
public final class FittingCodecs {
  /** The shortest block that LZ4's frames can describe. */
  private static final int SHORTEST_LOG2_BYTES = 10;

  private static final int LONGEST_LOG2_BYTES = 15; // as long as Spark's own default

  private final SparkConf conf;
  private final SerializerManager[] byLog2Bytes = new SerializerManager[LONGEST_LOG2_BYTES];

  /**
   * Uses the settings of now, as Spark's reading side does. Changes in a running application affect
   * neither side.
   */
  public FittingCodecs(SparkConf conf) {
    this.conf = conf.clone();
  }

  /** Compresses the bytes written to {@code destination}, if Spark would. */
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
