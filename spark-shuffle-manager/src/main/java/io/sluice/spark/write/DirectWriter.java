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
 * Keeps a stream open for every partition: no sort, and no more than one copy between the codec and
 * the pool. Each partition costs the buffers of a serializer and a codec, so that it is for some
 * hundreds of them, and for tasks with memory for these ({@link StreamMemory}); the {@link
 * SortingWriter} is for more.
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
            piece -> append(partition, piece, partitions[partition].takeRecords()));
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
