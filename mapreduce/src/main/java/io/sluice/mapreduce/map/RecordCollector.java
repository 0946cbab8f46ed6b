package io.sluice.mapreduce.map;

import io.sluice.spill.format.OutputId;
import io.sluice.spill.sort.RecordBuffer;
import io.sluice.spill.sort.SortChunks;
import io.sluice.spill.sort.SortChunks.ChunkMemory;
import io.sluice.spill.sort.SortChunks.ChunkSource;
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
 * Collects a map's records outside the heap, sorts an index of them, and writes each run once, to
 * the store from which it is read.
 *
 * <p>It differs from stock's {@code MapOutputBuffer} in that a spill is the final copy, in memory
 * that reducers read, and no file to be merged into another file. The sort buffer lies outside the
 * heap. It has the length of {@code mapreduce.task.io.sort.mb}, or more while it borrows memory; a
 * lender that wants memory back causes an early spill. The collector knows only a target to write
 * to, and no service.
 *
 * <p>Thread contract: several threads may call {@link #collect}, as with stock's. Ownership: the
 * creator closes it, also after a failure; that frees everything except a committed output.
 * Failure: {@link IOException}; after a failed spill no record is accepted.
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
   * Takes over the plan.
   *
   * @param own provides the sort buffer's memory
   * @param more lends further memory; its owner closes it after this collector
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
   * Adds one record.
   *
   * @return the bytes of its serialized key and value
   * @throws IOException for a record of the wrong type or partition, worded as in stock, and for
   *     every record after a failed spill
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
    int lengthBytes = record.lengthBytes(); // before take: it drops a large record
    uncountedBytes += lengthBytes;
    take(partition);
    if (++uncountedRecords == RECORDS_PER_COUNT) {
      count();
    }
    return lengthBytes;
  }

  // Worded as in stock, because users and tools search logs for it.
  private static IOException typeMismatch(String what, Class<?> expected, Object received) {
    return new IOException(
        "Type mismatch in "
            + what
            + " from map: expected "
            + expected.getName()
            + ", received "
            + received.getClass().getName());
  }

  /** After a failed spill the output is incomplete, even if the mapper caught the exception. */
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
    LOG.info("Spilling early, because the node's service revoked lent memory of the sort buffer");
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
      spillAlone(partition); // the process had no memory for the buffer
    }
  }

  /** The buffer keeps its other records, because it has room for more. */
  private void spillAlone(int partition)
      throws IOException, InterruptedException, ClassNotFoundException {
    long startNs = System.nanoTime();
    LOG.info(
        "A record of {} bytes does not fit into the sort buffer; it is written as a run of its own",
        record.lengthBytes());
    output.spillSingle(record.bytes(), record.keyLength(), record.valueLength(), partition);
    limits.spilled(isFull(record.lengthBytes()), 1, record.lengthBytes());
    record.shrink();
    spillNs += System.nanoTime() - startNs;
  }

  // Each counter takes a lock, so they are updated once in a thousand records.
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

  /** Returns false if there is nothing to spill. */
  private boolean spill() throws IOException, InterruptedException, ClassNotFoundException {
    if (records.recordCount() == 0) {
      chunks.giveBack(); // chunks taken for a record that did not fit
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
   * Spills the remaining records, merges runs if that pays, and commits the output.
   *
   * @return figures of the whole output
   */
  public synchronized MapOutputStats flush(OutputId id)
      throws IOException, InterruptedException, ClassNotFoundException {
    count();
    checkSpillFailure();
    limits.spilledLast(spill());
    // From here on the merge may use the sort buffer's memory.
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

  /** Frees the sort buffer, and an output that was not committed. Idempotent. */
  @Override
  public synchronized void close() throws IOException {
    MapOutputBuilder closing = output;
    output = null;
    try (closing) {
      closeBuffer();
    }
  }

  /**
   * Figures of one map output.
   *
   * @param materializedBytes stored bytes of the output
   * @param runs of all partitions
   * @param spillMs time for sorting and writing records
   * @param sortMs the part of that for sorting the index
   * @param mergeMs time for merging runs and for the commit
   * @param earlySpills spills because lent memory was revoked
   * @param memoryBytes written to the memory tier, including those written again by merges
   * @param diskBytes written to the disk tier, likewise
   */
  public record MapOutputStats(
      long materializedBytes,
      int runs,
      long spillMs,
      long sortMs,
      long mergeMs,
      int earlySpills,
      long memoryBytes,
      long diskBytes) {}
}
