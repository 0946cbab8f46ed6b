package io.sluice.spark.write;

import io.sluice.rdma.memory.Closer;
import io.sluice.rdma.text.ErrorText;
import io.sluice.spark.engine.SparkShims;
import io.sluice.spark.engine.SparkShims.RowChecksums;
import io.sluice.spark.pool.MapOutput;
import io.sluice.spark.pool.OutputTarget;
import io.sluice.spark.pool.OutputTarget.Attempt;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import org.apache.spark.Partitioner;
import org.apache.spark.ShuffleDependency;
import org.apache.spark.SparkEnv;
import org.apache.spark.TaskContext;
import org.apache.spark.memory.MemoryConsumer;
import org.apache.spark.memory.MemoryMode;
import org.apache.spark.memory.TaskMemoryManager;
import org.apache.spark.scheduler.MapStatus;
import org.apache.spark.shuffle.ShuffleWriteMetricsReporter;
import org.apache.spark.shuffle.ShuffleWriter;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import scala.Option;
import scala.Product2;
import scala.collection.Iterator;
import scala.reflect.ClassTag;
import scala.reflect.ClassTag$;

/**
 * Writes a map task's output into the executor's or the node's pool, without any file. It
 * serializes each record at once, because Spark's SQL engine reuses the object for the next row.
 *
 * <p>Partitions go to the pool in chunks. The task's execution memory pays for the buffers. If
 * there is no memory for another buffer, all buffers go to the pool, and their memory is used
 * again.
 *
 * <p>Thread contract: the task's thread. Ownership: {@link #stop} releases everything, the streams
 * of serializers and codecs too. Failure: the task's; without a commit nothing of the output
 * exists. After the first failure of the pool, nothing more is written, and that failure ends the
 * task. Streams that write once more when they are closed neither hide it nor succeed.
 */
public abstract class PartitionChunkWriter<K, V> extends ShuffleWriter<K, V> {
  /** The class tag of any key and any value. */
  static final ClassTag<Object> ANY = ClassTag$.MODULE$.Any();

  private static final Logger LOG = LoggerFactory.getLogger(PartitionChunkWriter.class);

  /**
   * Most bytes that a task buffers without a grant from Spark, fewer than serializers and codecs
   * hold. Without them, a task that gets no memory would drain all buffers for each record.
   */
  private static final long MOST_UNGRANTED_BYTES = 4L << 20;

  /** The chunks of all partitions together stay in the processor's cache. */
  private static final int ALL_CHUNKS_BYTES = 4 << 20;

  /** Shorter chunks would cost readers more requests than they save writers. */
  private static final int SHORTEST_CHUNK_BYTES = 64 << 10;

  /** G1 collects garbage for an array of half a region, which is 512 KiB or more. */
  private static final int LONGEST_CHUNK_BYTES = 256 << 10;

  private final OutputTarget pool;
  private final Attempt attempt;
  private final ShuffleDependency<K, V, ?> dependency;
  private final long mapId;
  private final TaskContext context;
  private final ShuffleWriteMetricsReporter metrics;
  private final MemoryBudget memory;
  private final long[] lengthsBytes;
  private final RowChecksums checksums;
  private long ungrantedBytes;
  private long peakBytes;
  private MapOutput output;
  private Throwable failure; // the first one of the pool
  private MapStatus status;
  private boolean stopped;

  /** Writes nothing yet. */
  protected PartitionChunkWriter(
      OutputTarget pool,
      ShuffleDependency<K, V, ?> dependency,
      long mapId,
      TaskContext context,
      ShuffleWriteMetricsReporter metrics) {
    this.pool = pool;
    this.attempt = pool.begin(dependency.shuffleId());
    this.dependency = dependency;
    this.mapId = mapId;
    this.context = context;
    this.metrics = metrics;
    this.memory = new MemoryBudget(context.taskMemoryManager());
    this.lengthsBytes = new long[dependency.partitioner().numPartitions()];
    this.checksums = SparkShims.rowChecksums(dependency);
    context.addTaskCompletionListener(
        task -> {
          stop(false); // Spark calls it only after an exception, not after an error
        });
  }

  /** Length of chunks, for a writer that fills those of so many partitions side by side. */
  static int chunkBytes(int partitionCount) {
    int shareBytes = ALL_CHUNKS_BYTES / partitionCount;
    return Math.max(SHORTEST_CHUNK_BYTES, Math.min(LONGEST_CHUNK_BYTES, shareBytes));
  }

  /** Serializes a record into a buffer. */
  abstract void insert(int partition, Object key, Object value) throws IOException;

  /** Ends the streams after the last record; their last bytes go into the buffers. */
  abstract void endStreams() throws IOException;

  /** Closes all open streams, and drops their bytes. */
  abstract void discardStreams() throws IOException;

  /** Passes all buffered bytes to {@link #append}, and frees their memory. */
  abstract void drain() throws IOException;

  final ShuffleDependency<K, V, ?> dependency() {
    return dependency;
  }

  final long mapId() {
    return mapId;
  }

  @Override
  public final void write(Iterator<Product2<K, V>> records) throws IOException {
    Partitioner partitioner = dependency.partitioner();
    Iterator<? extends Product2<?, ?>> combined = combined(records);
    while (combined.hasNext()) {
      Product2<?, ?> record = combined.next();
      int partition = partitioner.getPartition(record._1());
      insert(partition, record._1(), record._2());
      checksums.update(partition, record._1(), record._2());
      metrics.incRecordsWritten(1);
      requireSound();
    }
    endStreams();
    spill();
    requireSound();
    context.taskMetrics().incPeakExecutionMemory(peakBytes);
    commit();
  }

  private Iterator<? extends Product2<?, ?>> combined(Iterator<Product2<K, V>> records) {
    return dependency.mapSideCombine()
        ? dependency.aggregator().get().combineValuesByKey(records, context)
        : records;
  }

  /** Accounts for memory, after a spill if there is none. */
  final void takeMemory(long lengthBytes) throws IOException {
    if (memory.tryTake(lengthBytes)) {
      return;
    }
    if (ungrantedBytes + lengthBytes > MOST_UNGRANTED_BYTES) {
      spill();
      if (memory.tryTake(lengthBytes)) {
        return;
      }
    }
    ungrantedBytes += lengthBytes; // Spark leaves that much to any task
  }

  /**
   * Passes all buffered bytes on. After that it accounts only for the index of the runs, with up to
   * half of the memory that it had, because buffers make longer runs.
   */
  final void spill() throws IOException {
    long hadBytes = memory.getUsed();
    peakBytes = Math.max(peakBytes, hadBytes);
    drain();
    ungrantedBytes = 0;
    long heldBytes = output == null ? 0 : Math.min(output.heldBytes(), hadBytes / 2);
    long moreBytes = heldBytes - memory.getUsed();
    if (moreBytes > 0) {
      memory.tryTake(moreBytes); // otherwise the next spill takes it
    } else {
      memory.freeMemory(-moreBytes);
    }
  }

  /** Appends a chunk to a partition; drops it after a failure. */
  final void append(int partition, ByteBuffer bytes, long records) throws IOException {
    if (failure != null) {
      return;
    }
    int lengthBytes = bytes.remaining();
    try {
      metrics.incWriteTime(output().append(partition, bytes, records));
    } catch (IOException | RuntimeException | Error e) {
      failure = e;
      throw e;
    }
    lengthsBytes[partition] += lengthBytes;
    metrics.incBytesWritten(lengthBytes);
  }

  /** Throws the first failure, which a serializer or a codec may have caught. */
  private void requireSound() throws IOException {
    if (failure != null) {
      throw new IOException(ErrorText.of(failure), failure);
    }
  }

  private MapOutput output() throws IOException {
    if (output == null) {
      output = pool.newOutput(attempt, mapId, lengthsBytes.length);
    }
    return output;
  }

  private void commit() throws IOException {
    long startNs = System.nanoTime();
    output().commit();
    metrics.incWriteTime(System.nanoTime() - startNs);
    status =
        SparkShims.mapStatus(
            pool.location(SparkEnv.get().blockManager().shuffleServerId()),
            lengthsBytes,
            mapId,
            checksums.value());
  }

  @Override
  public final Option<MapStatus> stop(boolean success) {
    if (stopped) {
      return Option.empty();
    }
    stopped = true;
    try {
      Closer.all(this::endWithoutCommit, () -> memory.freeMemory(memory.getUsed()), output);
    } catch (IOException e) {
      throw new UncheckedIOException("the map output could not be closed", e);
    }
    return success ? Option.apply(status) : Option.empty();
  }

  private void endWithoutCommit() {
    if (status == null) {
      try {
        discardStreams();
      } catch (Exception e) { // the task has failed before
        LOG.info("A stream of a failed map task could not be closed", e);
      }
    }
  }

  @Override
  public final long[] getPartitionLengths() {
    return lengthsBytes;
  }

  /**
   * The part of the task's execution memory that a writer's buffers take.
   *
   * <p>Thread contract: as its super class. It frees nothing on demand of other consumers, because
   * the writer may be in the middle of a record.
   */
  static final class MemoryBudget extends MemoryConsumer {
    MemoryBudget(TaskMemoryManager manager) {
      super(manager, MemoryMode.ON_HEAP);
    }

    /** Takes that much memory, or none if there is less. */
    boolean tryTake(long lengthBytes) {
      long granted = acquireMemory(lengthBytes);
      if (granted < lengthBytes) {
        freeMemory(granted);
        return false;
      }
      return true;
    }

    @Override
    public long spill(long lengthBytes, MemoryConsumer trigger) throws IOException {
      return 0;
    }
  }
}
