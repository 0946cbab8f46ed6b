package io.sluice.spark.write;

import io.sluice.spark.engine.RowChecksums;
import io.sluice.spark.engine.SparkShims;
import io.sluice.spark.pool.Endpoint;
import io.sluice.spark.pool.ExecutorPool;
import io.sluice.spark.pool.PoolOutput;
import java.io.IOException;
import java.util.Arrays;
import org.apache.spark.Partitioner;
import org.apache.spark.ShuffleDependency;
import org.apache.spark.SparkEnv;
import org.apache.spark.TaskContext;
import org.apache.spark.scheduler.MapStatus;
import org.apache.spark.serializer.SerializerInstance;
import org.apache.spark.serializer.SerializerManager;
import org.apache.spark.shuffle.ShuffleWriteMetricsReporter;
import org.apache.spark.shuffle.ShuffleWriter;
import org.apache.spark.storage.BlockManagerId;
import org.apache.spark.storage.ShuffleBlockId;
import scala.Option;
import scala.Product2;
import scala.collection.Iterator;

/**
 * Serializes every record at once into its partition's stream, and the streams into the pool: no
 * file, no sort. Each partition costs the buffers of a serializer and a codec, so that it is for
 * some hundreds of them.
 *
 * <p>Without memory for another chunk, all that is buffered becomes pieces in the pool, and the
 * streams go on.
 *
 * <p>Thread contract: the task's thread. Ownership: {@link #stop} releases everything. Failure: the
 * task's; nothing of the output exists without a commit.
 */
public final class DirectWriter<K, V> extends ShuffleWriter<K, V> {
  private final ExecutorPool pool;
  private final ShuffleDependency<K, V, ?> dependency;
  private final long mapId;
  private final TaskContext context;
  private final ShuffleWriteMetricsReporter metrics;
  private final MemoryBudget memory;
  private final PartitionStream[] partitions;
  private final long[] lengthsBytes;
  private final RowChecksums checksums;
  private PoolOutput output;
  private MapStatus status;
  private boolean stopped;

  /** Writes nothing yet. */
  public DirectWriter(
      ExecutorPool pool,
      ShuffleDependency<K, V, ?> dependency,
      long mapId,
      TaskContext context,
      ShuffleWriteMetricsReporter metrics) {
    this.pool = pool;
    this.dependency = dependency;
    this.mapId = mapId;
    this.context = context;
    this.metrics = metrics;
    this.memory = new MemoryBudget(context.taskMemoryManager());
    int count = dependency.partitioner().numPartitions();
    this.partitions = new PartitionStream[count];
    this.lengthsBytes = new long[count];
    this.checksums = SparkShims.rowChecksums(dependency);
  }

  @Override
  public void write(Iterator<Product2<K, V>> records) throws IOException {
    SparkEnv env = SparkEnv.get();
    SerializerManager manager = env.serializerManager();
    SerializerInstance serializer = dependency.serializer().newInstance();
    Partitioner partitioner = dependency.partitioner();
    Iterator<? extends Product2<?, ?>> combined = combined(records);
    while (combined.hasNext()) {
      Product2<?, ?> record = combined.next();
      int partition = partitioner.getPartition(record._1());
      PartitionStream stream = partitions[partition];
      if (stream == null) {
        ShuffleBlockId id = new ShuffleBlockId(dependency.shuffleId(), mapId, partition);
        stream =
            new PartitionStream(new PartitionBuffer(this::takeMemory), id, manager, serializer);
        partitions[partition] = stream;
      }
      stream.write(record._1(), record._2());
      checksums.update(partition, record._1(), record._2());
      metrics.incRecordsWritten(1);
    }
    commit(env.blockManager().shuffleServerId());
  }

  private Iterator<? extends Product2<?, ?>> combined(Iterator<Product2<K, V>> records) {
    return dependency.mapSideCombine()
        ? dependency.aggregator().get().combineValuesByKey(records, context)
        : records;
  }

  private void takeMemory(long lengthBytes) throws IOException {
    if (!memory.tryTake(lengthBytes)) {
      spill();
      // What is not granted after all has been given back is less than Spark's own least share.
      memory.tryTake(lengthBytes);
    }
  }

  /** Everything buffered goes to the pool. */
  private void spill() throws IOException {
    long startNs = System.nanoTime();
    if (output == null) {
      output = pool.newOutput(dependency.shuffleId(), mapId, partitions.length);
    }
    long pendingBytes = 0;
    for (PartitionStream stream : partitions) {
      pendingBytes += stream == null ? 0 : stream.buffer().lengthBytes();
    }
    output.reserve(pendingBytes);
    for (int partition = 0; partition < partitions.length; partition++) {
      PartitionStream stream = partitions[partition];
      if (stream != null && stream.buffer().lengthBytes() > 0) {
        lengthsBytes[partition] +=
            output.append(partition, stream.buffer().drain(), stream.takeRecords());
      }
    }
    memory.freeMemory(memory.getUsed());
    metrics.incBytesWritten(pendingBytes);
    metrics.incWriteTime(System.nanoTime() - startNs);
  }

  private void commit(BlockManagerId executor) throws IOException {
    for (PartitionStream stream : partitions) {
      if (stream != null) {
        stream.close();
      }
    }
    spill();
    long startNs = System.nanoTime();
    output.commit();
    metrics.incWriteTime(System.nanoTime() - startNs);
    status =
        SparkShims.mapStatus(
            Endpoint.withPort(executor, pool.controlPort()),
            lengthsBytes,
            mapId,
            checksums.value());
  }

  @Override
  public Option<MapStatus> stop(boolean success) {
    if (stopped) {
      return Option.empty();
    }
    stopped = true;
    Arrays.fill(partitions, null);
    memory.freeMemory(memory.getUsed());
    if (output != null) {
      try {
        output.close();
      } catch (IOException e) {
        throw new java.io.UncheckedIOException("the map output could not be closed", e);
      }
    }
    return success ? Option.apply(status) : Option.empty();
  }

  @Override
  public long[] getPartitionLengths() {
    return lengthsBytes;
  }
}
