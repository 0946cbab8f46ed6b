package io.sluice.spark.write;

import io.sluice.spark.write.PartitionChunkWriter.MemoryBudget;
import org.apache.spark.ShuffleDependency;
import org.apache.spark.SparkConf;
import org.apache.spark.SparkEnv;
import org.apache.spark.TaskContext;
import org.apache.spark.internal.config.package$;
import org.apache.spark.io.CompressionCodec;
import org.apache.spark.io.CompressionCodec$;
import org.apache.spark.io.LZ4CompressionCodec;
import org.apache.spark.io.LZFCompressionCodec;
import org.apache.spark.io.SnappyCompressionCodec;
import org.apache.spark.io.ZStdCompressionCodec;
import org.apache.spark.serializer.KryoSerializer;
import org.apache.spark.serializer.Serializer;

/**
 * Estimates the memory that an open stream of a serializer and a codec holds, on the heap or off
 * it, from their settings. The estimates are rather too large. A stream takes most of its memory
 * when it is opened, before it could be measured.
 *
 * <p>Thread contract: stateless. Ownership: the memory goes back to Spark when the task ends.
 */
public final class StreamMemory {
  private static final long OTHER_SERIALIZER_BYTES = 16L << 10;
  private static final long OTHER_CODEC_BYTES = 1L << 20;
  private static final long LZF_BYTES = 256L << 10;
  private static final long OVERHEAD_BYTES = 4L << 10;

  /** A smaller amount needs no account: 200 partitions hold it with Spark's default settings. */
  private static final long SMALL_BYTES = 64L << 20;

  /**
   * Part of the executor's execution memory that a task may take; more would make other tasks wait.
   */
  private static final int MOST_SHARE = 4;

  /** Window, tables and block buffers of zstd's default parameters, by level. */
  private static final int[] ZSTD_MIB = {
    2, 2, 3, 4, 5, 6, 6, 9, 9, 17, 29, 29, 53, 53, 53, 69, 69, 69, 69, 91, 195, 387, 771
  };

  private StreamMemory() {}

  /**
   * Takes the memory of a stream for each partition from the task's share, if it is large.
   *
   * @return whether the task may open the streams
   */
  public static boolean tryTake(
      SparkConf conf, ShuffleDependency<?, ?, ?> dependency, TaskContext context) {
    int partitions = dependency.partitioner().numPartitions();
    long neededBytes = partitions * bytes(conf, dependency.serializer());
    if (neededBytes <= SMALL_BYTES) {
      return true;
    }
    if (neededBytes > SparkEnv.get().memoryManager().maxOnHeapStorageMemory() / MOST_SHARE) {
      return false; // asking for it would evict cached blocks, and starve the tasks beside it
    }
    MemoryBudget memory = new MemoryBudget(context.taskMemoryManager());
    boolean taken = memory.tryTake(neededBytes);
    if (taken) {
      context.addTaskCompletionListener(
          task -> {
            memory.freeMemory(memory.getUsed());
          });
    }
    return taken;
  }

  /** Memory of one partition's stream. */
  static long bytes(SparkConf conf, Serializer serializer) {
    package$ config = package$.MODULE$;
    long serializerBytes =
        serializer instanceof KryoSerializer
            ? conf.getSizeAsKb("spark.kryoserializer.buffer", "64k") << 10
            : OTHER_SERIALIZER_BYTES;
    return (boolean) conf.get(config.SHUFFLE_COMPRESS())
        ? serializerBytes + codecBytes(conf, CompressionCodec$.MODULE$.createCodec(conf))
        : serializerBytes;
  }

  private static long codecBytes(SparkConf conf, CompressionCodec codec) {
    package$ config = package$.MODULE$;
    if (codec instanceof LZ4CompressionCodec) {
      long blockBytes = ((Number) conf.get(config.IO_COMPRESSION_LZ4_BLOCKSIZE())).longValue();
      return 2 * blockBytes + blockBytes / 128 + OVERHEAD_BYTES;
    }
    if (codec instanceof SnappyCompressionCodec) {
      long blockBytes = ((Number) conf.get(config.IO_COMPRESSION_SNAPPY_BLOCKSIZE())).longValue();
      return 2 * blockBytes + blockBytes / 4 + OVERHEAD_BYTES;
    }
    if (codec instanceof ZStdCompressionCodec) {
      int level = ((Number) conf.get(config.IO_COMPRESSION_ZSTD_LEVEL())).intValue();
      int workers = conf.getInt("spark.io.compression.zstd.workers", 0);
      long bufferBytes = ((Number) conf.get(config.IO_COMPRESSION_ZSTD_BUFFERSIZE())).longValue();
      long contextMib = ZSTD_MIB[Math.max(0, Math.min(level, ZSTD_MIB.length - 1))];
      return (contextMib << 20) * (1 + Math.max(0, workers)) + 2 * bufferBytes;
    }
    return codec instanceof LZFCompressionCodec ? LZF_BYTES : OTHER_CODEC_BYTES;
  }
}
