package io.sluice.mapreduce.map;

import io.sluice.spill.format.OutputId;
import io.sluice.spill.sort.ChunkMemory;
import io.sluice.spill.sort.ChunkSource;
import io.sluice.spill.sort.RecordBuffer;
import io.sluice.spill.sort.SortChunks;
import io.sluice.spill.sort.SortedRecords;
import io.sluice.spill.writer.WriteTarget;
import java.io.Closeable;
import java.io.IOException;
import java.util.concurrent.TimeUnit;
import org.apache.hadoop.mapred.Counters;
import org.apache.hadoop.mapred.Task.TaskReporter;
import org.apache.hadoop.mapreduce.TaskCounter;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Collects a map's records off the heap, sorts an index of them, and writes each run once, to where
 * it is read from.
 *
 * <p>It differs from stock's {@code MapOutputBuffer} in what a spill is: here the final copy, in
 * memory that reducers read, instead of a file that is merged into another file. The sort buffer
 * lies outside the heap and is as large ({@code mapreduce.task.io.sort.mb}), or larger while
 * somebody lends it memory; wanted back, that is spilled early. Whose memory it writes to it does
 * not know, nor of any service.
 *
 * <p>Thread contract: {@link #collect} may be called by several threads, as stock's may. Ownership:
 * the creator closes it, in failure too, and that frees everything but a committed output. Failure:
 * {@link IOException}; once a spill has failed nothing more is taken in.
 */
public final class RecordCollector<K, V> implements Closeable {
  private static final Logger LOG = LoggerFactory.getLogger(RecordCollector.class);

  private static final int RECORDS_PER_COUNT = 1 << 10;

  private final TaskReporter reporter;
  private final StockLimits limits;
  private final int partitions;
  private final RecordSerializer<K, V> record;
  private final Counters.Counter outputRecords;
  private final Counters.Counter outputBytes;
  private SortChunks chunks;
  private RecordBuffer records;
  private MapOutputBuilder output;

  private int uncountedRecords;
  private long uncountedBytes;
  private long spillNs;
  private long sortNs;
  private int earlySpills;
  private Throwable spillFailure;

  /**
   * Takes over the plan, which is for one collector alone.
   *
   * @param own has the sort buffer's memory
   * @param more lends memory beyond that; its owner closes it after this
   */
  public RecordCollector(
      MapPlan<K, V> plan, WriteTarget target, ChunkMemory own, ChunkSource more) {
    reporter = plan.reporter;
    limits = plan.limits;
    partitions = plan.partitions;
    record = plan.record;
    outputRecords = reporter.getCounter(TaskCounter.MAP_OUTPUT_RECORDS);
    outputBytes = reporter.getCounter(TaskCounter.MAP_OUTPUT_BYTES);
    chunks =
        new SortChunks(plan.sortBytes, MapPlan.CHUNK_BYTES, own, more, plan.mostBorrowedBytes());
    try {
      records = new RecordBuffer(chunks, partitions, plan.order);
      output =
          new MapOutputBuilder(
              target,
              partitions,
              plan.order,
              plan.codec,
              plan.combining,
              plan.keys,
              plan.policy,
              reporter,
              reporter.getCounter(TaskCounter.SPILLED_RECORDS));
    } catch (RuntimeException | Error e) {
      closeBuffer();
      throw e;
    }
  }

  /**
   * Takes in one record.
   *
   * @return its length in bytes, key and value as they are serialized
   * @throws IOException in stock's words for a record of the wrong type or partition, and for every
   *     record after a spill that failed
   */
  public synchronized int collect(K key, V value, int partition)
      throws IOException, InterruptedException {
    reporter.progress();
    if (key.getClass() != record.keyClass()) {
      throw typeMismatch("key", record.keyClass(), key);
    }
    if (value.getClass() != record.valueClass()) {
      throw typeMismatch("value", record.valueClass(), value);
    }
    if (partition < 0 || partition >= partitions) {
      throw new IOException("Illegal partition for " + key + " (" + partition + ")");
    }
    checkSpillFailure();
    record.serialize(key, value);
    int lengthBytes = record.lengthBytes(); // the record is let go of if it is large
    uncountedBytes += lengthBytes;
    take(partition);
    if (++uncountedRecords == RECORDS_PER_COUNT) {
      count();
    }
    return lengthBytes;
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

  private boolean append(int partition) throws IOException {
    return records.append(record.bytes(), 0, record.keyLength(), record.valueLength(), partition);
  }

  private void take(int partition) throws IOException, InterruptedException {
    try {
      if (!append(partition)) {
        spillAndAppend(partition);
      }
      if (chunks.isWantedBack()) {
        spillEarly();
      }
    } catch (IOException | ClassNotFoundException | RuntimeException e) {
      spillFailure = e;
      throw new IOException("Spill failed", e);
    } catch (InterruptedException | Error e) {
      spillFailure = e;
      throw e;
    }
  }

  private void spillEarly() throws IOException, InterruptedException, ClassNotFoundException {
    LOG.info("Spilling early, because memory of the sort buffer is wanted back");
    earlySpills++;
    spillCounted();
  }

  private void spillAndAppend(int partition)
      throws IOException, InterruptedException, ClassNotFoundException {
    if (!records.fitsEmpty(record.keyLength(), record.valueLength())) {
      spillAlone(partition);
      return;
    }
    spillCounted();
    if (!append(partition)) {
      spillAlone(partition); // the process has refused the buffer the memory for it
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
    limits.spilled(isFull(record.lengthBytes()), 1, record.lengthBytes());
    record.shrink();
    spillNs += System.nanoTime() - startNs;
  }

  // Counters take a lock each; once in a thousand records shows as much.
  private void count() {
    outputRecords.increment(uncountedRecords);
    outputBytes.increment(uncountedBytes);
    uncountedRecords = 0;
    uncountedBytes = 0;
  }

  private void spillCounted() throws IOException, InterruptedException, ClassNotFoundException {
    boolean isFull = isFull(chunks.acquiredBytes());
    int count = records.recordCount();
    long dataBytes = records.dataBytes();
    if (spill()) {
      limits.spilled(isFull, count, dataBytes);
    }
  }

  private boolean isFull(long bytes) {
    return bytes + chunks.chunkBytes() > limits.sortBytes();
  }

  /** False if there is nothing to spill. */
  private boolean spill() throws IOException, InterruptedException, ClassNotFoundException {
    if (records.recordCount() == 0) {
      chunks.giveBack(); // what a record took that was not appended
      return false;
    }
    long startNs = System.nanoTime();
    LOG.info("Spilling {} records, {} bytes", records.recordCount(), records.dataBytes());
    SortedRecords sorted = records.sort(reporter::progress);
    sortNs += System.nanoTime() - startNs;
    output.spill(sorted);
    records.reset();
    chunks.giveBack();
    spillNs += System.nanoTime() - startNs;
    return true;
  }

  /**
   * Spills what is left, merges what pays, and commits the output.
   *
   * @return what it took
   */
  public synchronized MapOutputStats flush(OutputId id)
      throws IOException, InterruptedException, ClassNotFoundException {
    count();
    checkSpillFailure();
    limits.spilledLast(spill());
    // The sort buffer is not needed for what follows; a merge is welcome to its memory.
    closeBuffer();
    long startNs = System.nanoTime();
    output.commit(id);
    long mergeNs = System.nanoTime() - startNs;
    long materializedBytes = output.materializedBytes();
    reporter.getCounter(TaskCounter.MAP_OUTPUT_MATERIALIZED_BYTES).increment(materializedBytes);
    return new MapOutputStats(
        materializedBytes,
        output.runs(),
        TimeUnit.NANOSECONDS.toMillis(spillNs),
        TimeUnit.NANOSECONDS.toMillis(sortNs),
        TimeUnit.NANOSECONDS.toMillis(mergeNs),
        earlySpills,
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

  /** Frees the sort buffer, and gives back what was not committed; idempotent. */
  @Override
  public synchronized void close() throws IOException {
    MapOutputBuilder closing = output;
    output = null;
    try (closing) {
      closeBuffer();
    }
  }
}
