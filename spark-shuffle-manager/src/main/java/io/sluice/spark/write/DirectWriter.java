package io.sluice.spark.write;

import io.sluice.rdma.memory.Closer;
import io.sluice.spark.pool.OutputTarget;
import java.io.Closeable;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import org.apache.spark.ShuffleDependency;
import org.apache.spark.SparkEnv;
import org.apache.spark.TaskContext;
import org.apache.spark.serializer.SerializerInstance;
import org.apache.spark.serializer.SerializerManager;
import org.apache.spark.shuffle.ShuffleWriteMetricsReporter;
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
}
