package io.sluice.mapreduce.reduce;

import io.sluice.mapreduce.merge.MergeMemory;
import io.sluice.mapreduce.merge.RunCodec;
import io.sluice.mapreduce.merge.RunCompressor;
import io.sluice.mapreduce.merge.RunForm;
import io.sluice.mapreduce.stage.StageArea;
import io.sluice.mapreduce.stage.StagedRun;
import io.sluice.rdma.memory.Closing;
import io.sluice.spill.merge.KWayMerge;
import io.sluice.spill.merge.MergePlan;
import io.sluice.spill.merge.RunCursor;
import io.sluice.spill.merge.RunInput;
import io.sluice.spill.record.RunEncoder;
import io.sluice.spill.sort.KeyOrder;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.TreeSet;
import java.util.stream.LongStream;
import org.apache.hadoop.io.compress.CompressionCodec;
import org.apache.hadoop.util.Progressable;

/**
 * Merges a reducer's runs as a stream: nothing is written while the runs fit into one merge, and
 * bounded rounds go to the stage when they do not, in chunks or as they are. What a merge needs at
 * once is bounded by how many runs it has: windows, heap for parsing, decompressors and open files.
 *
 * <p>Thread contract: one thread. Ownership: takes the runs over and hands them to the merges it
 * makes. Failure: {@link IOException} of a run or the stage; {@link InterruptedIOException} in a
 * round, which may be long.
 */
public final class ReduceMerge {
  private final MergeWindows windows;
  private final StageArea stage;
  private final RunCodec codec;
  private final KeyOrder order;
  private final Progressable progress;
  private MergeMemory memory; // for chunks as long as the longest of those that are expected
  private long recordBytes;
  private boolean hasStreams;
  private int rounds;
  private long roundRecords;

  /**
   * Merges through {@code windows}, and over {@code stage} what must be merged in rounds.
   *
   * @param codec of the runs that are compressed, or null
   * @param memory that of the task
   */
  public ReduceMerge(
      MergeWindows windows,
      StageArea stage,
      CompressionCodec codec,
      KeyOrder order,
      Progressable progress,
      MergeMemory memory) {
    this.windows = windows;
    this.stage = stage;
    this.codec = new RunCodec(codec);
    this.order = order;
    this.progress = progress;
    this.memory = memory.withChunks(0);
  }

  /**
   * A run in the order of merging: the shortest first, whose blocks are, and of equal ones the
   * earlier.
   */
  private record Waiting(MergeRun run, int number) implements Comparable<Waiting> {
    private static final Comparator<Waiting> ORDER =
        Comparator.<Waiting>comparingLong(each -> each.run.leastBlockBytes())
            .thenComparingLong(each -> each.run.lengthBytes())
            .thenComparingInt(Waiting::number);

    @Override
    public int compareTo(Waiting other) {
      return ORDER.compare(this, other);
    }
  }

  /** What a round has staged. */
  record MergedRun(
      String name,
      long lengthBytes,
      long rawLengthBytes,
      RunForm form,
      int chunkBytes,
      RunInput input)
      implements MergeRun {
    @Override
    public long meanRecordBytes() {
      return 0; // those of its runs are known
    }

    @Override
    public void suspend() {}

    @Override
    public void close() throws IOException {
      input.close();
    }
  }

  /** A run is to be merged later, in a round or in the last merge. */
  void expect(MergeRun run) {
    recordBytes = Math.max(recordBytes, run.meanRecordBytes());
    hasStreams |= run.form() == RunForm.STREAM;
    if (run.chunkBytes() > memory.chunkBytes()) {
      memory = memory.withChunks(run.chunkBytes());
    }
  }

  /** The last merge, after as many rounds as it takes to get there. */
  public KWayMerge merge(List<? extends MergeRun> runs) throws IOException {
    TreeSet<Waiting> waiting = new TreeSet<>();
    for (MergeRun run : runs) {
      expect(run);
      waiting.add(new Waiting(run, waiting.size()));
    }
    long streams = streams(runs);
    int size = roundSize(waiting, streams);
    if (size == 0) {
      return start(runs);
    }
    try {
      for (MergeRun run : runs) {
        run.suspend(); // its windows are for those that are merged before
      }
      for (int number = runs.size(); size > 0; size = roundSize(waiting, streams)) {
        List<MergeRun> taken = take(waiting, size);
        streams -= streams(taken); // what a round writes is none
        waiting.add(new Waiting(mergeRound(taken), number++));
      }
    } catch (IOException | RuntimeException | Error e) {
      Closing.after(e, waiting.stream().map(Waiting::run).toList());
      throw e;
    }
    return start(take(waiting, waiting.size()));
  }

  private static long streams(List<? extends MergeRun> runs) {
    return runs.stream().filter(run -> run.form() == RunForm.STREAM).count();
  }

  private int roundSize(TreeSet<Waiting> waiting, long streams) {
    var longestFirst = waiting.descendingSet().stream();
    return MergePlan.roundSize(
        waiting.size(), fanIn(streams, longestFirst.mapToLong(each -> each.run.leastBlockBytes())));
  }

  private static List<MergeRun> take(TreeSet<Waiting> waiting, int count) {
    List<MergeRun> taken = new ArrayList<>(count);
    for (int i = 0; i < count; i++) {
      taken.add(waiting.pollFirst().run());
    }
    return taken;
  }

  /**
   * Most runs that one merge takes, whichever of these they are; all of them are expected. See
   * {@link MergeMemory#maxRuns}.
   */
  int fanIn(List<? extends MergeRun> runs) {
    var longestFirst =
        runs.stream().map(MergeRun::leastBlockBytes).sorted(Comparator.reverseOrder());
    return fanIn(streams(runs), longestFirst.mapToLong(Long::longValue));
  }

  /** Runs of which one merge takes as many, whatever they are of those that were expected. */
  int leastFanIn() {
    long longestBytes = MergeMemory.leastBlockBytes(Long.MAX_VALUE, memory.chunkBytes());
    return fanIn(hasStreams ? Long.MAX_VALUE : 0, LongStream.generate(() -> longestBytes));
  }

  private int fanIn(long streams, LongStream leastBlocksBytes) {
    return Math.max(
        2, Math.min(memory.maxRuns(recordBytes, streams, leastBlocksBytes), windows.count()));
  }

  /** Makes one run of several, {@link #fanIn} at most. */
  MergeRun mergeRound(List<? extends MergeRun> runs) throws IOException {
    rounds++;
    int chunkBytes = memory.compressesRounds() ? memory.chunkBytes() : 0;
    try (KWayMerge merge = start(runs)) {
      StagedRun staged = stage.create("merge of " + runs.size() + " runs");
      try {
        long rawLengthBytes = write(merge, staged, chunkBytes);
        staged.finish();
        return new MergedRun(
            staged.name(),
            staged.lengthBytes(),
            rawLengthBytes,
            chunkBytes > 0 ? RunForm.CHUNKS : RunForm.PLAIN,
            chunkBytes,
            staged.open());
      } catch (IOException | RuntimeException | Error e) {
        Closing.after(e, staged);
        throw e;
      }
    }
  }

  /** Rounds that it has begun before the last merge. */
  public int rounds() {
    return rounds;
  }

  /** Records that those have put out. */
  public long roundRecords() {
    return roundRecords;
  }

  /** Returns the length before it is compressed. */
  private long write(KWayMerge merge, StagedRun staged, int chunkBytes) throws IOException {
    if (chunkBytes == 0) {
      return write(merge, staged.name(), new RunEncoder(staged::write));
    }
    try (RunCompressor compressor = codec.compressor(chunkBytes)) {
      compressor.begin(staged::write);
      long rawLengthBytes = write(merge, staged.name(), new RunEncoder(compressor::write));
      compressor.end();
      return rawLengthBytes;
    }
  }

  private long write(KWayMerge merge, String name, RunEncoder encoder) throws IOException {
    while (merge.next()) {
      if (Thread.currentThread().isInterrupted()) {
        throw new InterruptedIOException("interrupted in a " + name);
      }
      roundRecords++;
      encoder.append(
          merge.keyBytes(),
          merge.keyOffset(),
          merge.keyLength(),
          merge.valueBytes(),
          merge.valueOffset(),
          merge.valueLength());
      progress.progress();
    }
    encoder.finish();
    return encoder.rawLengthBytes();
  }

  /** Starts to merge; owns the runs, and closes them when it fails. */
  private KWayMerge start(List<? extends MergeRun> runs) throws IOException {
    List<RunCursor> cursors = new ArrayList<>(runs.size());
    try {
      windows.prepare(runs);
      long spareBytes =
          memory.spareBytes(runs.size(), runs.stream().mapToLong(MergeRun::leastBlockBytes));
      for (MergeRun run : runs) {
        int blockBytes = MergeMemory.blockBytes(spareBytes, run.rawLengthBytes(), run.chunkBytes());
        RunInput records = codec.open(run.name(), run.input(), run.form(), run.chunkBytes());
        cursors.add(new RunCursor(run.name(), records, blockBytes));
      }
      return new KWayMerge(cursors, order);
    } catch (IOException | RuntimeException | Error e) {
      Closing.after(e, cursors); // gives decompressors back
      Closing.after(e, runs);
      throw e;
    }
  }
}
