package io.sluice.spark.write;

import io.sluice.rdma.memory.Closer;
import io.sluice.spark.engine.JoinableStreams;
import io.sluice.spark.pool.MapOutput;
import io.sluice.spark.pool.OutputTarget;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.ByteBuffer;
import org.apache.spark.ShuffleDependency;
import org.apache.spark.SparkConf;
import org.apache.spark.SparkEnv;
import org.apache.spark.TaskContext;
import org.apache.spark.internal.config.ConfigEntry;
import org.apache.spark.internal.config.package$;
import org.apache.spark.serializer.SerializationStream;
import org.apache.spark.serializer.SerializerManager;
import org.apache.spark.shuffle.ShuffleWriteMetricsReporter;
import org.apache.spark.storage.BlockId;
import org.apache.spark.storage.ShuffleBlockId;

/**
 * Serializes all records into shared pages, sorts them by partition, and compresses each partition
 * when it goes to the pool. Unlike the {@link DirectWriter}, its memory depends on the records, not
 * on the number of partitions.
 *
 * <p>The chunks of a partition are streams of their own, which must read as one when they are
 * joined: see {@link #canWrite}.
 *
 * <p>Thread contract, ownership and failure: as {@link PartitionChunkWriter}.
 */
public final class SortingWriter<K, V> extends PartitionChunkWriter<K, V> {
  private final FittingCodecs codecs;
  private final RecordPages records = new RecordPages(this::takeMemory, this::spill);
  private final Serialized serialized = new Serialized();
  private final SerializationStream stream;

  /** One chunk, which no budget accounts for. */
  private final PartitionBuffer buffer =
      new PartitionBuffer(lengthBytes -> {}, chunkBytes(1), this::appendChunk);

  private boolean streamClosed;
  private int draining;
  private int pendingRecords;

  /** The bytes of the last record. */
  private static final class Serialized extends ByteArrayOutputStream {
    byte[] bytes() {
      return buf;
    }
  }

  /** Writes nothing yet. */
  public SortingWriter(
      OutputTarget pool,
      ShuffleDependency<K, V, ?> dependency,
      long mapId,
      TaskContext context,
      ShuffleWriteMetricsReporter metrics,
      FittingCodecs codecs) {
    super(pool, dependency, mapId, context, metrics);
    this.codecs = codecs;
    this.stream = dependency.serializer().newInstance().serializeStream(serialized);
  }

  /**
   * Whether streams of this shuffle's serializer, codec and cipher can be cut and joined, and
   * whether an output can have so many partitions.
   */
  public static boolean canWrite(SparkConf conf, ShuffleDependency<?, ?, ?> dependency) {
    return JoinableStreams.of(conf, dependency)
        && dependency.partitioner().numPartitions() <= RecordPages.MOST_PARTITIONS
        && MapOutput.canHold(dependency.partitioner().numPartitions());
  }

  @Override
  void insert(int partition, Object key, Object value) throws IOException {
    serialized.reset();
    stream.writeKey(key, ANY);
    stream.writeValue(value, ANY);
    stream.flush();
    records.add(partition, serialized.bytes(), serialized.size());
  }

  @Override
  void endStreams() {
    serialized.reset();
    stream.close();
    streamClosed = true;
  }

  @Override
  void discardStreams() {
    if (!streamClosed) {
      streamClosed = true;
      serialized.reset();
      stream.close();
    }
  }

  @Override
  void drain() throws IOException {
    records.sort();
    int first = 0;
    while (first < records.count()) {
      int partition = records.partition(first);
      int end = first + 1;
      while (end < records.count() && records.partition(end) == partition) {
        end++;
      }
      drain(partition, first, end);
      first = end;
    }
    records.clear();
    buffer.drain();
  }

  private void drain(int partition, int first, int end) throws IOException {
    draining = partition;
    pendingRecords = end - first;
    ShuffleBlockId id = new ShuffleBlockId(dependency().shuffleId(), mapId(), partition);
    OutputStream wrapped = codecs.wrap(id, buffer, records.lengthBytes(first, end));
    try {
      for (int i = first; i < end; i++) {
        records.writeTo(i, wrapped);
      }
      wrapped.close();
    } catch (Throwable e) {
      buffer.discard(); // the codec writes its end, which must not reach the pool
      Closer.after(e, wrapped);
      throw e;
    }
    buffer.flushChunk();
  }

  /** Counts all records of the partition for its first chunk. */
  private void appendChunk(ByteBuffer chunk) throws IOException {
    append(draining, chunk, pendingRecords);
    pendingRecords = 0;
  }

  /**
   * Compresses a partition with blocks no longer than the partition, if the codec is LZ4 or Snappy.
   * For each stream, these codecs allocate and clear the memory of a whole block twice, which is
   * more work than compressing a short partition. The compressed data carry the length of their
   * blocks, so Spark reads them as usual.
   *
   * <p>There is a serializer manager for each power of two, because the work grows with the block:
   * with fewer sizes, partitions would use blocks of several times their length.
   *
   * <p>It serves only shuffles that Spark does not encrypt. Thread contract: safe from any thread,
   * as Spark's own.
   */
  public static final class FittingCodecs {
    /** The shortest block that LZ4's frames can describe. */
    private static final int SHORTEST_LOG2_BYTES = 10;

    private static final int LONGEST_LOG2_BYTES = 15; // as long as Spark's own default

    private final SparkConf conf;
    private final SerializerManager[] byLog2Bytes = new SerializerManager[LONGEST_LOG2_BYTES];

    /**
     * Uses the settings of now, as Spark's reading side does. Changes in a running application
     * affect neither side.
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
}
