package io.sluice.spark.write;

import io.sluice.rdma.memory.Closer;
import io.sluice.spark.pool.OutputTarget;
import java.io.Closeable;
import java.io.IOException;
import java.io.OutputStream;
import java.util.ArrayList;
import java.util.List;
import org.apache.spark.ShuffleDependency;
import org.apache.spark.SparkEnv;
import org.apache.spark.TaskContext;
import org.apache.spark.serializer.SerializationStream;
import org.apache.spark.serializer.SerializerInstance;
import org.apache.spark.serializer.SerializerManager;
import org.apache.spark.shuffle.ShuffleWriteMetricsReporter;
import org.apache.spark.storage.BlockId;
import org.apache.spark.storage.ShuffleBlockId;

/**
 * Keeps a stream open for each partition: it needs no sort, and copies bytes only once between the
 * codec and the pool. Each partition costs the buffers of a serializer and a codec. So it serves
 * tasks with some hundreds of partitions and memory for their buffers ({@link StreamMemory}); the
 * {@link SortingWriter} serves the others.
 *
 * <p>Thread contract, ownership and failure: as {@link PartitionChunkWriter}.
 */
public final class DirectWriter<K, V> extends PartitionChunkWriter<K, V> {
  private final PartitionStream[] partitions;
  private final SerializerManager manager = SparkEnv.get().serializerManager();
  private final SerializerInstance serializer;

  /** Writes nothing yet. */
  public DirectWriter(
      OutputTarget pool,
      ShuffleDependency<K, V, ?> dependency,
      long mapId,
      TaskContext context,
      ShuffleWriteMetricsReporter metrics) {
    super(pool, dependency, mapId, context, metrics);
    this.partitions = new PartitionStream[dependency.partitioner().numPartitions()];
    this.serializer = dependency.serializer().newInstance();
  }

  @Override
  void insert(int partition, Object key, Object value) {
    if (partitions[partition] == null) {
      partitions[partition] = newStream(partition);
    }
    partitions[partition].write(key, value);
  }

  private PartitionStream newStream(int partition) {
    PartitionBuffer buffer =
        new PartitionBuffer(
            this::takeMemory,
            chunkBytes(partitions.length),
            chunk -> append(partition, chunk, partitions[partition].takeRecords()));
    ShuffleBlockId id = new ShuffleBlockId(dependency().shuffleId(), mapId(), partition);
    return new PartitionStream(buffer, id, manager, serializer);
  }

  @Override
  void endStreams() {
    for (PartitionStream stream : partitions) {
      if (stream != null) {
        stream.close();
      }
    }
  }

  @Override
  void discardStreams() throws IOException {
    List<Closeable> open = new ArrayList<>();
    for (PartitionStream stream : partitions) {
      if (stream != null) {
        open.add(stream::discard);
      }
    }
    Closer.all(open);
  }

  @Override
  void drain() throws IOException {
    for (PartitionStream stream : partitions) {
      if (stream != null) {
        stream.drain();
      }
    }
  }

  /**
   * The stream of one partition of a map task: records go through the serializer, the codec and the
   * cipher into a buffer. The stream stays open over spills. So all chunks of a partition are one
   * stream, for any serializer and codec.
   *
   * <p>Thread contract: one thread. Ownership: the writer closes it, which writes the streams'
   * ends, or discards it. Codecs free some of their memory only when they are closed. Failure: the
   * streams' own; if one cannot be made, none stays open.
   */
  private static final class PartitionStream implements Closeable {
    private final PartitionBuffer buffer;
    private final OutputStream wrapped;
    private final SerializationStream stream;
    private boolean closed;
    private long pendingRecords;

    PartitionStream(
        PartitionBuffer buffer,
        BlockId id,
        SerializerManager manager,
        SerializerInstance serializer) {
      this.buffer = buffer;
      this.wrapped = manager.wrapStream(id, buffer);
      try {
        this.stream = serializer.serializeStream(wrapped);
      } catch (Throwable e) { // Scala's methods declare no checked exceptions
        buffer.discard();
        Closer.after(e, wrapped);
        throw e;
      }
    }

    void write(Object key, Object value) {
      stream.writeKey(key, ANY);
      stream.writeValue(value, ANY);
      pendingRecords++;
    }

    /** Passes the bytes of its buffer on. */
    void drain() throws IOException {
      buffer.drain();
    }

    /** Number of records since the last call. */
    long takeRecords() {
      long records = pendingRecords;
      pendingRecords = 0;
      return records;
    }

    @Override
    public void close() {
      stream.close();
      closed = true;
    }

    /** Closes the streams and drops their ends; does nothing if they are closed. */
    void discard() throws IOException {
      if (!closed) {
        closed = true;
        buffer.discard();
        Closer.all(stream::close, wrapped); // a serializer that fails leaves its codec open
      }
    }
  }
}
