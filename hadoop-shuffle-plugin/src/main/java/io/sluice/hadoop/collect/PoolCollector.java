package io.sluice.hadoop.collect;

import io.sluice.hadoop.SluiceCounter;
import io.sluice.hadoop.conf.JobSettings;
import io.sluice.hadoop.order.KeyOrders;
import io.sluice.hadoop.task.Eligibility;
import io.sluice.hadoop.task.NodeLink;
import io.sluice.node.local.LocalClient;
import io.sluice.node.wire.NodeMetadata;
import io.sluice.spill.format.OutputId;
import io.sluice.spill.medium.Medium;
import io.sluice.spill.medium.MediumChooser;
import io.sluice.spill.sort.KeyOrder;
import io.sluice.spill.sort.RecordBuffer;
import io.sluice.spill.sort.SortChunks;
import io.sluice.spill.sort.SortedRecords;
import java.io.IOException;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import javax.crypto.SecretKey;
import org.apache.hadoop.io.compress.CompressionCodec;
import org.apache.hadoop.io.compress.DefaultCodec;
import org.apache.hadoop.mapred.Counters;
import org.apache.hadoop.mapred.JobConf;
import org.apache.hadoop.mapred.MapOutputCollector;
import org.apache.hadoop.mapred.MapTask;
import org.apache.hadoop.mapred.Task.TaskReporter;
import org.apache.hadoop.mapreduce.TaskCounter;
import org.apache.hadoop.util.Progress;
import org.apache.hadoop.util.ReflectionUtils;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Collects a map's records off the heap, sorts an index of them, and writes each run once, into the
 * node's pool.
 *
 * <p>It differs from stock's {@code MapOutputBuffer} in what a spill is: here the final copy, in
 * memory that reducers read, instead of a file that is merged into another file. The sort buffer is
 * as large ({@code mapreduce.task.io.sort.mb}) and lies outside the heap.
 *
 * <p>Thread contract: {@link #collect} may be called by several threads, as stock's may. Ownership:
 * {@link SluiceMapOutputCollector} closes it, in failure too, and that frees everything. Failure:
 * {@link #init} throws for jobs that Sluice leaves alone and nodes without its service, with the
 * reason as its message; after the first record there is no way back, and an {@link IOException}
 * fails the attempt.
 */
final class PoolCollector<K, V> implements MapOutputCollector<K, V> {
  private static final Logger LOG = LoggerFactory.getLogger(PoolCollector.class);

  private static final int CHUNK_BYTES = 1 << 20;
  private static final int MIN_CHUNKS = 4;
  private static final int RECORDS_PER_COUNT = 1 << 10;

  private final Map<String, String> environment;
  private MapTask mapTask;
  private TaskReporter reporter;
  private StockLimits limits;
  private int partitions;
  private Class<?> keyClass;
  private Class<?> valueClass;
  private RecordSerializer<K, V> record;
  private LocalClient node;
  private SortChunks chunks;
  private RecordBuffer records;
  private MapOutputBuilder output;
  private OutputId outputId;

  private Counters.Counter outputRecords;
  private Counters.Counter outputBytes;
  private int uncountedRecords;
  private long uncountedBytes;
  private long spillNs;
  private long sortNs;
  private Throwable spillFailure;

  /**
   * Collects nothing yet.
   *
   * @param environment of the container
   */
  PoolCollector(Map<String, String> environment) {
    this.environment = environment;
  }

  @Override
  public void init(Context context) throws IOException, ClassNotFoundException {
    reporter = context.getReporter();
    JobConf job = context.getJobConf();
    mapTask = context.getMapTask();
    SecretKey secret = mapTask.getShuffleSecret();
    Optional<String> declined = Eligibility.declineReason(job, secret);
    if (declined.isPresent()) {
      throw new IOException(declined.get());
    }
    limits = new StockLimits(job);
    long sortBytes = Math.max(limits.sortBytes(), (long) MIN_CHUNKS * CHUNK_BYTES);
    partitions = job.getNumReduceTasks();
    keyClass = job.getMapOutputKeyClass();
    valueClass = job.getMapOutputValueClass();
    record = new RecordSerializer<>(job);
    KeyOrder order = KeyOrders.of(job);
    CompressionCodec codec = codec(job);
    MergePolicy policy = MergePolicy.of(job, codec);
    Combining<K, V> combining = Combining.of(job, mapTask.getTaskID(), reporter);

    NodeMetadata metadata = NodeLink.metadata(environment);
    node =
        NodeLink.connect(
            metadata, mapTask.getJobID(), secret, JobSettings.IO_TIMEOUT_MS.get(job::getTrimmed));
    Medium medium = medium(metadata);
    outputId =
        new OutputId(NodeLink.applicationId(mapTask.getJobID()), mapTask.getTaskID().toString());
    chunks = new SortChunks(sortBytes, CHUNK_BYTES);
    records = new RecordBuffer(chunks, partitions, order);
    output =
        new MapOutputBuilder(
            node,
            medium,
            partitions,
            order,
            codec,
            combining,
            policy,
            reporter,
            reporter.getCounter(TaskCounter.SPILLED_RECORDS));
    outputRecords = reporter.getCounter(TaskCounter.MAP_OUTPUT_RECORDS);
    outputBytes = reporter.getCounter(TaskCounter.MAP_OUTPUT_BYTES);
    LOG.info(
        "Collecting into Sluice's pool at {} ({} medium), sort buffer {} MiB off heap",
        metadata.socket().getParent(),
        medium.name(),
        sortBytes >> 20);
  }

  private Medium medium(NodeMetadata metadata) throws IOException {
    try {
      return MediumChooser.choose(metadata.medium(), node.places().pool()).medium();
    } catch (IOException | RuntimeException e) {
      node.close();
      throw e;
    }
  }

  private static CompressionCodec codec(JobConf job) {
    return job.getCompressMapOutput()
        ? ReflectionUtils.newInstance(job.getMapOutputCompressorClass(DefaultCodec.class), job)
        : null;
  }

  @Override
  public synchronized void collect(K key, V value, int partition)
      throws IOException, InterruptedException {
    reporter.progress();
    if (key.getClass() != keyClass) {
      throw typeMismatch("key", keyClass, key);
    }
    if (value.getClass() != valueClass) {
      throw typeMismatch("value", valueClass, value);
    }
    if (partition < 0 || partition >= partitions) {
      throw new IOException("Illegal partition for " + key + " (" + partition + ")");
    }
    checkSpillFailure();
    record.serialize(key, value);
    uncountedBytes += record.lengthBytes();
    if (!append(partition)) {
      spillAndAppend(partition);
    }
    if (++uncountedRecords == RECORDS_PER_COUNT) {
      count();
    }
  }

  // Worded as stock words it: users and tools search their logs for it.
  private static IOException typeMismatch(String what, Class<?> expected, Object received) {
    return new IOException(
        "Type mismatch in "
            + what
            + " from map: expected "
            + expected.getName()
            + ", received "
            + received.getClass().getName());
  }

  /** Once a spill has failed all is lost, even if the mapper has caught it and goes on. */
  private void checkSpillFailure() throws IOException {
    if (spillFailure != null) {
      throw new IOException("Spill failed", spillFailure);
    }
  }

  private boolean append(int partition) {
    return records.append(record.bytes(), 0, record.keyLength(), record.valueLength(), partition);
  }

  private void spillAndAppend(int partition) throws IOException, InterruptedException {
    try {
      if (!records.fitsEmpty(record.keyLength(), record.valueLength())) {
        spillAlone(partition);
        return;
      }
      spill();
      if (!append(partition)) {
        throw new IllegalStateException(
            "the empty sort buffer does not take a record of "
                + record.lengthBytes()
                + " bytes that fits it");
      }
    } catch (IOException | ClassNotFoundException | RuntimeException e) {
      spillFailure = e;
      throw new IOException("Spill failed", e);
    } catch (InterruptedException | Error e) {
      spillFailure = e;
      throw e;
    }
  }

  /** What the buffer holds stays there: it has room for more of its kind. */
  private void spillAlone(int partition)
      throws IOException, InterruptedException, ClassNotFoundException {
    long startNs = System.nanoTime();
    LOG.info(
        "A record of {} bytes is larger than the sort buffer and becomes a run of its own",
        record.lengthBytes());
    output.spillSingle(record.bytes(), record.keyLength(), record.valueLength(), partition);
    record.shrink();
    limits.requireSpills(output.spills());
    spillNs += System.nanoTime() - startNs;
  }

  // Counters take a lock each; once in a thousand records shows as much.
  private void count() {
    outputRecords.increment(uncountedRecords);
    outputBytes.increment(uncountedBytes);
    uncountedRecords = 0;
    uncountedBytes = 0;
  }

  private void spill() throws IOException, InterruptedException, ClassNotFoundException {
    if (records.recordCount() == 0) {
      return;
    }
    long startNs = System.nanoTime();
    LOG.info("Spilling {} records, {} bytes", records.recordCount(), records.dataBytes());
    SortedRecords sorted = records.sort();
    sortNs += System.nanoTime() - startNs;
    output.spill(sorted);
    limits.requireSpills(output.spills());
    records.reset();
    spillNs += System.nanoTime() - startNs;
  }

  @Override
  public synchronized void flush()
      throws IOException, InterruptedException, ClassNotFoundException {
    count();
    checkSpillFailure();
    spill();
    // The sort buffer is not needed for what follows; a merge is welcome to its memory.
    closeBuffer();
    long materializedBytes = output.commit(outputId);
    OutputMarker.leave(mapTask.getMapOutputFile());
    Progress sortPhase = mapTask.getSortPhase();
    sortPhase.complete();
    reporter.getCounter(TaskCounter.MAP_OUTPUT_MATERIALIZED_BYTES).increment(materializedBytes);
    SluiceCounter.SPILL_MS.add(reporter, TimeUnit.NANOSECONDS.toMillis(spillNs));
    SluiceCounter.SORT_MS.add(reporter, TimeUnit.NANOSECONDS.toMillis(sortNs));
    SluiceCounter.SPILL_BYTES_MEMORY.add(reporter, output.memoryBytes());
    SluiceCounter.SPILL_BYTES_DISK.add(reporter, output.diskBytes());
    LOG.info(
        "Committed {} bytes to Sluice's pool: spill {} ms, of which sort {} ms; {} bytes in memory,"
            + " {} on disk",
        materializedBytes,
        TimeUnit.NANOSECONDS.toMillis(spillNs),
        TimeUnit.NANOSECONDS.toMillis(sortNs),
        output.memoryBytes(),
        output.diskBytes());
  }

  private void closeBuffer() {
    if (records != null) {
      records.close();
      records = null;
    }
    if (chunks != null) {
      chunks.close();
      chunks = null;
    }
  }

  @Override
  public synchronized void close() throws IOException {
    MapOutputBuilder closingOutput = output;
    LocalClient closingNode = node;
    output = null;
    node = null;
    // From the last to the first: what was not committed is released over the connection.
    try (closingNode;
        closingOutput) {
      closeBuffer();
    }
  }
}
