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
 * <p>Only where Spark encrypts no blocks. Thread contract: one thread.
 */
final class FittingCodecs {
  /** The shortest block that LZ4's frames tell from another. */
  private static final int SHORTEST_BITS = 10;

  private static final int LONGEST_BITS = 15; // as long as Spark's own default

  private final SerializerManager[] byBits = new SerializerManager[LONGEST_BITS];

  /** Compresses what goes to {@code destination}, if Spark would. */
  OutputStream wrap(BlockId id, OutputStream destination, long lengthBytes) {
    int bits = Long.SIZE - Long.numberOfLeadingZeros(Math.max(0, lengthBytes - 1));
    SparkEnv env = SparkEnv.get();
    if (bits >= LONGEST_BITS) {
      return env.serializerManager().wrapStream(id, destination);
    }
    int fitting = Math.max(SHORTEST_BITS, bits);
    if (byBits[fitting] == null) {
      byBits[fitting] = new SerializerManager(env.serializer(), conf(env.conf(), 1L << fitting));
    }
    return byBits[fitting].wrapStream(id, destination);
  }

  private static SparkConf conf(SparkConf conf, long blockBytes) {
    SparkConf fitting = conf.clone();
    package$ config = package$.MODULE$;
    shorten(fitting, config.IO_COMPRESSION_LZ4_BLOCKSIZE(), blockBytes);
    shorten(fitting, config.IO_COMPRESSION_SNAPPY_BLOCKSIZE(), blockBytes);
    return fitting;
  }

  private static void shorten(SparkConf conf, ConfigEntry<Object> entry, long blockBytes) {
    long setBytes = ((Number) conf.get(entry)).longValue();
    conf.set(entry.key(), Math.min(setBytes, blockBytes) + "b");
  }
}
