package io.sluice.mapreduce.map;

import io.sluice.mapreduce.merge.MergeMemory;
import io.sluice.mapreduce.merge.RunCodec;
import io.sluice.mapreduce.merge.RunCodec.RunCompressor;
import io.sluice.mapreduce.merge.RunForm;
import io.sluice.rdma.memory.Closer;
import io.sluice.spill.cipher.DecryptedRunInput;
import io.sluice.spill.cipher.OutputKey;
import io.sluice.spill.format.RunEncoder;
import io.sluice.spill.format.WrittenRun;
import io.sluice.spill.merge.KWayMerge;
import io.sluice.spill.merge.MappedRunInput;
import io.sluice.spill.merge.RunCursor;
import io.sluice.spill.merge.RunInput;
import io.sluice.spill.merge.VerifiedRunInput;
import io.sluice.spill.sort.KeyOrder;
import io.sluice.spill.writer.OutputWriter;
import io.sluice.spill.writer.OutputWriter.WriterStats;
import java.io.Closeable;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.TreeSet;
import java.util.function.Function;
import java.util.function.Supplier;
import org.apache.hadoop.mapred.Counters;
import org.apache.hadoop.mapred.Reporter;

/**
 * Merges the runs that a map wrote for one partition. If the task's memory allows all of them at
 * once the merge is a stream; else rounds before it write to the pool.
 *
 * <p>It differs from {@code ReduceMerge} in that all runs lie in this node's pool and are mapped a
 * window at a time. Each round has its own writer, because the runs of a writer cannot be read
 * while it writes. The bytes of a round are freed as soon as they are read.
 *
 * <p>Thread contract: one thread. Ownership: closing a merge frees the bytes of its rounds; the
 * caller owns the writer of the runs. Failure: {@link IOException} of the pool, the codec or
 * damaged bytes, with nothing left open.
 */
final class OutputMerge {
  private static final int RECORDS_PER_PROGRESS = 1 << 12;

  private final Function<Long, OutputWriter> rounds;
  private final KeyOrder order;
  private final RunCodec codec;
  private final RunCompressor compressor;
  private final Supplier<OutputKey> keys;
  private final MergeMemory memory;
  private final Reporter reporter;
  private final Counters.Counter spilledRecords;
  private final List<WriterStats> finished = new ArrayList<>();

  /**
   * Merges in the order of {@code order}.
   *
   * @param rounds makes a writer for a round of the given length
   * @param codec of the runs
   * @param compressor the map's, which is free during a round; null without a codec
   * @param keys makes a key for each round; null without encryption
   */
  OutputMerge(
      Function<Long, OutputWriter> rounds,
      KeyOrder order,
      RunCodec codec,
      RunCompressor compressor,
      Supplier<OutputKey> keys,
      MergeMemory memory,
      Reporter reporter,
      Counters.Counter spilledRecords) {
    this.rounds = rounds;
    this.order = order;
    this.codec = codec;
    this.compressor = compressor;
    this.keys = keys;
    this.memory = memory;
    this.reporter = reporter;
    this.spilledRecords = spilledRecords;
  }

  /**
   * A run and its writer.
   *
   * @param key of its encryption, or null
   * @param ordinal its number among the runs of its writer and partition
   * @param owned whether writer and key belong to a round
   */
  private record Stored(
      WrittenRun run, int number, OutputWriter writer, OutputKey key, int ordinal, boolean owned)
      implements Comparable<Stored>, Closeable {
    private static final Comparator<Stored> SHORTEST_FIRST =
        Comparator.comparingLong(Stored::leastBlockBytes)
            .thenComparingLong(stored -> stored.run.lengthBytes())
            .thenComparingInt(Stored::number);

    @Override
    public int compareTo(Stored other) {
      return SHORTEST_FIRST.compare(this, other);
    }

    long leastBlockBytes() {
      return MergeMemory.leastBlockBytes(run.rawLengthBytes(), run.chunkBytes());
    }

    @Override
    public void close() throws IOException {
      if (owned) {
        try (key) {
          writer.close();
        }
      }
    }
  }

  /**
   * Starts the last merge of the runs of one partition, after the rounds that it needs.
   *
   * @param key of the writer's encryption, or null
   * @param runs all runs of the partition, in the order in which they were written
   */
  KWayMerge start(OutputWriter writer, OutputKey key, List<WrittenRun> runs) throws IOException {
    List<Stored> all = new ArrayList<>(runs.size());
    long recordBytes = 0;
    for (WrittenRun run : runs) {
      all.add(new Stored(run, all.size(), writer, key, all.size(), false));
      recordBytes = Math.max(recordBytes, run.rawLengthBytes() / Math.max(1, run.records()));
    }
    TreeSet<Stored> waiting = new TreeSet<>(all);
    int size = roundSize(waiting, recordBytes);
    if (size == 0) {
      return open(all);
    }
    try {
      int number = all.size();
      for (; size > 0; size = roundSize(waiting, recordBytes)) {
        waiting.add(mergeRound(take(waiting, size), number++));
      }
    } catch (IOException | RuntimeException | Error e) {
      Closer.after(e, waiting);
      throw e;
    }
    return open(take(waiting, waiting.size()));
  }

  private int roundSize(TreeSet<Stored> waiting, long recordBytes) {
    int streams = codec.form(memory.chunkBytes()) == RunForm.STREAM ? waiting.size() : 0;
    int maxRuns =
        memory.maxRuns(
            recordBytes,
            streams,
            waiting.descendingSet().stream().mapToLong(Stored::leastBlockBytes));
    return KWayMerge.roundSize(waiting.size(), maxRuns);
  }

  private static List<Stored> take(TreeSet<Stored> waiting, int count) {
    List<Stored> taken = new ArrayList<>(count);
    for (int i = 0; i < count; i++) {
      taken.add(waiting.pollFirst());
    }
    return taken;
  }

  private Stored mergeRound(List<Stored> runs, int number) throws IOException {
    int partition = runs.get(0).run.partition();
    long lengthBytes = runs.stream().mapToLong(stored -> stored.run.lengthBytes()).sum();
    try (KWayMerge merge = open(runs)) {
      OutputKey key = keys == null ? null : keys.get();
      OutputWriter round = rounds.apply(lengthBytes);
      try {
        RunWriter writer = new RunWriter(round, compressor, key);
        spilledRecords.increment(writer.write(partition, encoder -> copy(merge, encoder)));
        finished.add(round.stats());
        round.endWriting(); // unmaps its last extent: many rounds may wait
        return new Stored(round.runs().get(0), number, round, key, 0, true);
      } catch (IOException | RuntimeException | Error e) {
        Closer.after(e, round);
        Closer.after(e, key);
        throw e;
      } catch (InterruptedException | ClassNotFoundException e) {
        throw new AssertionError("copying runs neither waits nor loads classes", e);
      }
    }
  }

  /** Opens all runs of a merge, or closes all if one fails. */
  private KWayMerge open(List<Stored> runs) throws IOException {
    List<RunCursor> cursors = new ArrayList<>(runs.size());
    try {
      long spareBytes =
          memory.spareBytes(runs.size(), runs.stream().mapToLong(Stored::leastBlockBytes));
      int windowBytes = memory.windowBytes(runs.size());
      for (Stored stored : runs) {
        WrittenRun run = stored.run;
        String name = "partition " + run.partition() + " at " + run.logicalOffsetBytes();
        RunInput bytes =
            new VerifiedRunInput(
                name, new StoredInput(stored, windowBytes), run.lengthBytes(), run.checksums());
        RunInput plain =
            stored.key == null
                ? bytes
                : new DecryptedRunInput(
                    name, bytes, run.lengthBytes(), stored.key, run.partition(), stored.ordinal);
        RunInput input = codec.open(name, plain, codec.form(run.chunkBytes()), run.chunkBytes());
        int blockBytes = MergeMemory.blockBytes(spareBytes, run.rawLengthBytes(), run.chunkBytes());
        cursors.add(new RunCursor(name, input, blockBytes));
      }
      return new KWayMerge(cursors, order);
    } catch (IOException | RuntimeException | Error e) {
      Closer.after(e, cursors); // gives decompressors back
      Closer.after(e, runs);
      throw e;
    }
  }

  /** Appends all records of {@code merge}. */
  void copy(KWayMerge merge, RunEncoder encoder) throws IOException {
    while (merge.next()) {
      encoder.append(
          merge.keyBytes(),
          merge.keyOffset(),
          merge.keyLength(),
          merge.valueBytes(),
          merge.valueOffset(),
          merge.valueLength());
      if (encoder.records() % RECORDS_PER_PROGRESS == 0) {
        reporter.progress();
      }
    }
  }

  /** The bytes that rounds have written. */
  List<WriterStats> finished() {
    return finished;
  }

  /** Reads a mapped run, and closes the writer of its round with the reader. */
  private static final class StoredInput implements RunInput {
    private final Stored stored;
    private final MappedRunInput mapped;

    StoredInput(Stored stored, int windowBytes) {
      this.stored = stored;
      this.mapped = stored.writer.input(stored.run, windowBytes);
    }

    @Override
    public int read(byte[] dst, int offset, int lengthBytes) throws IOException {
      return mapped.read(dst, offset, lengthBytes);
    }

    @Override
    public long remainingBytes() {
      return mapped.remainingBytes();
    }

    @Override
    public void close() throws IOException {
      mapped.close();
      stored.close();
    }
  }
}
