package io.sluice.mapreduce.map;

import io.sluice.mapreduce.map.MapPlan.MergePolicy;
import io.sluice.mapreduce.merge.RecordIterator;
import io.sluice.mapreduce.merge.RunCodec;
import io.sluice.mapreduce.merge.RunCodec.RunCompressor;
import io.sluice.rdma.memory.Closer;
import io.sluice.spill.cipher.OutputKey;
import io.sluice.spill.cipher.RunEncryptor;
import io.sluice.spill.format.OutputId;
import io.sluice.spill.format.RecordFormat;
import io.sluice.spill.format.WrittenRun;
import io.sluice.spill.merge.KWayMerge;
import io.sluice.spill.sort.KeyOrder;
import io.sluice.spill.sort.SortedRecords;
import io.sluice.spill.writer.OutputWriter;
import io.sluice.spill.writer.OutputWriter.WriterStats;
import io.sluice.spill.writer.WriteTarget;
import java.io.Closeable;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Supplier;
import org.apache.hadoop.io.compress.CompressionCodec;
import org.apache.hadoop.mapred.Counters;
import org.apache.hadoop.mapred.RawKeyValueIterator;
import org.apache.hadoop.mapred.Reporter;
import org.apache.hadoop.util.Progress;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Builds one map output: a run for each partition and spill. Runs are merged only if that pays;
 * then the output is committed.
 *
 * <p>Several runs of a partition are usually served as they are, because the reducer merges anyway.
 * They are merged here, at the end or between spills, in three cases: there is a combiner and stock
 * would merge with it too ({@code mapreduce.map.combine.minspills}); a partition has more than
 * {@code mapreduce.task.io.sort.factor} runs; or all partitions together have too many ({@link
 * MergePolicy}).
 *
 * <p>Thread contract: one thread. Ownership: the collector closes it, which frees an output that
 * was not committed. Failure: {@link IOException} of the pool, the codec or the user's combiner.
 */
final class MapOutputBuilder implements Closeable {
  private static final Logger LOG = LoggerFactory.getLogger(MapOutputBuilder.class);

  /** Bytes per lease if the size of a run is not known before it is written. */
  private static final long LEASE_BYTES = 4 << 20;

  private final WriteTarget target;
  private final int partitions;
  private final KeyOrder order;
  private final RunCodec codec;
  private final RunCompressor compressor; // for all runs that are written; null without a codec
  private final Combining<?, ?> combining;
  private final Supplier<OutputKey> keys;
  private final MergePolicy policy;
  private final Reporter reporter;
  private final Counters.Counter spilledRecords;
  private final List<WriterStats> finished = new ArrayList<>();
  private OutputWriter out;
  private OutputKey key;
  private RunWriter runWriter;
  private int spills; // including those of single large records
  private int mergedSpills;

  /**
   * Starts an output.
   *
   * @param codec of the runs, or null
   * @param combining the job's combiner, or null
   * @param keys makes a key for each writer; null without encryption
   */
  MapOutputBuilder(
      WriteTarget target,
      int partitions,
      KeyOrder order,
      CompressionCodec codec,
      Combining<?, ?> combining,
      Supplier<OutputKey> keys,
      MergePolicy policy,
      Reporter reporter,
      Counters.Counter spilledRecords) {
    this.target = target;
    this.partitions = partitions;
    this.order = order;
    this.codec = new RunCodec(codec);
    this.combining = combining;
    this.keys = keys;
    this.policy = policy;
    this.reporter = reporter;
    this.spilledRecords = spilledRecords;
    this.compressor = this.codec.compressor(policy.memory().chunkBytes());
    try {
      open(target.writer(partitions, LEASE_BYTES));
    } catch (RuntimeException | Error e) {
      Closer.after(e, compressor);
      Closer.after(e, out);
      throw e;
    }
  }

  private void open(OutputWriter writer) {
    out = writer;
    key = keys == null ? null : keys.get();
    runWriter = new RunWriter(writer, compressor, key);
  }

  /** Writes a sorted buffer: one run for each partition that has records. */
  void spill(SortedRecords records)
      throws IOException, InterruptedException, ClassNotFoundException {
    if (out.runs().size() + partitionsOf(records) > policy.maxHeldRuns() && !out.runs().isEmpty()) {
      merge(combinesAgain());
    }
    if (compressor == null && combining == null) {
      reserve(records);
    }
    for (int partition = 0; partition < partitions; partition++) {
      if (records.firstOf(partition) == records.endOf(partition)) {
        continue;
      }
      if (combining == null) {
        spilledRecords.increment(runWriter.writeSorted(partition, records));
      } else {
        combine(partition, RecordIterator.of(records, partition));
      }
      reporter.progress();
    }
    spills++;
  }

  private int partitionsOf(SortedRecords records) {
    int count = 0;
    for (int partition = 0; partition < partitions; partition++) {
      count += records.firstOf(partition) < records.endOf(partition) ? 1 : 0;
    }
    return count;
  }

  private void reserve(SortedRecords records) throws IOException {
    long lengthBytes = 0;
    for (int partition = 0; partition < partitions; partition++) {
      long encodedBytes = records.encodedBytes(partition);
      lengthBytes += encodedBytes == 0 ? 0 : storedBytes(encodedBytes + RecordFormat.END_BYTES);
    }
    out.reserveCapacity(lengthBytes);
  }

  private long storedBytes(long encodedBytes) {
    return keys == null ? encodedBytes : RunEncryptor.storedBytes(encodedBytes);
  }

  /** Writes a single record, too large for the buffer, as a run of its own. */
  void spillSingle(byte[] record, int keyLength, int valueLength, int partition)
      throws IOException, InterruptedException, ClassNotFoundException {
    spilledRecords.increment(
        runWriter.write(
            partition,
            encoder -> encoder.append(record, 0, keyLength, record, keyLength, valueLength)));
    spills++;
  }

  /** The number of runs of all partitions now. */
  int runs() {
    return out.runs().size();
  }

  private void combine(int partition, RawKeyValueIterator records)
      throws IOException, InterruptedException, ClassNotFoundException {
    spilledRecords.increment(
        runWriter.write(partition, encoder -> combining.combine(records, encoder)));
  }

  /** Merges if it pays, and commits. */
  void commit(OutputId id) throws IOException, InterruptedException, ClassNotFoundException {
    if (combinesAgain() || isFragmented()) {
      merge(combinesAgain());
    }
    out.commit(id);
  }

  /** Stored bytes of all runs. */
  long materializedBytes() {
    return out.runs().stream().mapToLong(WrittenRun::lengthBytes).sum();
  }

  private boolean combinesAgain() {
    return combining != null && spills >= policy.minSpillsToCombine();
  }

  private boolean isFragmented() {
    int most = spills - mergedSpills + (mergedSpills == 0 ? 0 : 1); // runs of a partition
    return most > policy.maxSpills() || out.indexBytesWith(0) > policy.maxIndexBytes();
  }

  private void merge(boolean combineAgain)
      throws IOException, InterruptedException, ClassNotFoundException {
    LOG.info("Merging the runs of {} spills in memory", spills);
    out.endWriting(); // unmaps its last extent before the merge
    OutputWriter merged = target.writer(partitions, LEASE_BYTES);
    OutputWriter spilled = out;
    OutputKey spilledKey = key;
    OutputMerge merging =
        new OutputMerge(
            this::roundWriter,
            order,
            codec,
            compressor,
            keys,
            policy.memory(),
            reporter,
            spilledRecords);
    open(merged);
    try (spilledKey;
        spilled) {
      List<WrittenRun> runs = new ArrayList<>(); // of one partition
      for (WrittenRun run : spilled.runsByPartition()) {
        if (!runs.isEmpty() && runs.get(0).partition() != run.partition()) {
          mergePartition(merging, spilled, spilledKey, runs, combineAgain);
          runs.clear();
        }
        runs.add(run);
      }
      if (!runs.isEmpty()) {
        mergePartition(merging, spilled, spilledKey, runs, combineAgain);
      }
      finished.add(spilled.stats());
      finished.addAll(merging.finished());
      mergedSpills = spills;
    }
  }

  private void mergePartition(
      OutputMerge merging,
      OutputWriter spilled,
      OutputKey spilledKey,
      List<WrittenRun> runs,
      boolean combineAgain)
      throws IOException, InterruptedException, ClassNotFoundException {
    int partition = runs.get(0).partition();
    try (KWayMerge merge = merging.start(spilled, spilledKey, runs)) {
      if (combineAgain) {
        combine(partition, RecordIterator.of(merge, new Progress()));
      } else {
        spilledRecords.increment(
            runWriter.write(partition, encoder -> merging.copy(merge, encoder)));
      }
    }
    reporter.progress();
  }

  private OutputWriter roundWriter(long lengthBytes) {
    return target.writer(partitions, Math.max(1, Math.min(LEASE_BYTES, lengthBytes)));
  }

  /** Bytes written to the memory tier, including those written again by merges. */
  long memoryBytes() {
    return finished.stream().mapToLong(WriterStats::memoryBytes).sum() + out.stats().memoryBytes();
  }

  /** Bytes written to the disk tier, including those written again by merges. */
  long diskBytes() {
    return finished.stream().mapToLong(WriterStats::diskBytes).sum() + out.stats().diskBytes();
  }

  @Override
  public void close() throws IOException {
    OutputKey closingKey = key;
    OutputWriter closingOut = out;
    try (closingKey;
        closingOut) {
      if (compressor != null) {
        compressor.close();
      }
    }
  }
}
