package io.sluice.spark.write;

import java.io.OutputStream;
import org.apache.spark.SparkConf;
import org.apache.spark.SparkEnv;
import org.apache.spark.internal.config.ConfigEntry;
import org.apache.spark.internal.config.package$;
import org.apache.spark.serializer.SerializerManager;
import org.apache.spark.storage.BlockId;

/**
 * Spark's codec for partitions of known length, with blocks no longer than they are. A codec takes
 * and clears a whole block's memory, twice, for each stream, which is more work than a short
 * partition is. What it puts out says how long its blocks are, so that Spark reads it as ever.
 *
 * <p>Only where Spark encrypts no blocks. Thread contract: safe from any thread, as Spark's own.
 */
public final class FittingCodecs {
  /** The shortest block that LZ4's frames tell from another. */
  private static final int SHORTEST_BITS = 10;

  private static final int LONGEST_BITS = 15; // as long as Spark's own default

  private final SparkConf conf;
  private final SerializerManager[] byBits = new SerializerManager[LONGEST_BITS];

  /**
   * With the settings of now, as Spark's reading side has them: what is changed later in a running
   * application is for neither.
   */
  public FittingCodecs(SparkConf conf) {
    this.conf = conf.clone();
  }

  /** Compresses what goes to {@code destination}, if Spark would. */
  OutputStream wrap(BlockId id, OutputStream destination, long lengthBytes) {
    int bits = Long.SIZE - Long.numberOfLeadingZeros(Math.max(0, lengthBytes - 1));
    return bits >= LONGEST_BITS
        ? SparkEnv.get().serializerManager().wrapStream(id, destination)
        : fitting(Math.max(SHORTEST_BITS, bits)).wrapStream(id, destination);
  }

  private synchronized SerializerManager fitting(int bits) {
    if (byBits[bits] == null) {
      SparkConf shorter = conf.clone();
      package$ config = package$.MODULE$;
      shorten(shorter, config.IO_COMPRESSION_LZ4_BLOCKSIZE(), 1L << bits);
      shorten(shorter, config.IO_COMPRESSION_SNAPPY_BLOCKSIZE(), 1L << bits);
      byBits[bits] = new SerializerManager(SparkEnv.get().serializer(), shorter);
    }
    return byBits[bits];
  }

  private static void shorten(SparkConf conf, ConfigEntry<Object> entry, long blockBytes) {
    long setBytes = ((Number) conf.get(entry)).longValue();
    conf.set(entry.key(), Math.min(setBytes, blockBytes) + "b");
  }
}
