package io.sluice.mapreduce.reduce;

import io.sluice.mapreduce.merge.CodecRunInput;
import io.sluice.mapreduce.merge.MergeMemory;
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
import java.util.List;
import java.util.TreeSet;
import java.util.stream.LongStream;
import java.util.stream.Stream;
import org.apache.hadoop.io.compress.CompressionCodec;
import org.apache.hadoop.util.Progressable;

/**
 * Merges a reducer's runs as a stream: nothing is written while the runs fit into one merge, and
 * bounded rounds go to the stage when they do not. What a merge needs at once is bounded by how
 * many runs it has: windows, heap for parsing, decompressors and open files.
 *
 * <p>Thread contract: one thread. Ownership: takes the runs over and hands them to the merges it
 * makes. Failure: {@link IOException} of a run or the stage; {@link InterruptedIOException} in a
 * round, which may be long.
 */
public final class ReduceMerge {
  private final MergeWindows windows;
  private final StageArea stage;
  private final CompressionCodec codec;
  private final KeyOrder order;
  private final Progressable progress;
  private final MergeMemory memory;
  private long recordBytes;
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
    this.codec = codec;
    this.order = order;
    this.progress = progress;
    this.memory = memory;
  }

  /** A run in the order of merging: the shortest first, and of equal ones the earlier. */
  private record Waiting(MergeRun run, int number) implements Comparable<Waiting> {
    @Override
    public int compareTo(Waiting other) {
      int result = Long.compare(run.lengthBytes(), other.run.lengthBytes());
      return result != 0 ? result : Integer.compare(number, other.number);
    }
  }

  /** A run without a codec, such as a round has staged. */
  record MergedRun(String name, long lengthBytes, RunInput input) implements MergeRun {
    @Override
    public long meanRecordBytes() {
      return 0; // those of its runs are known
    }

    @Override
    public boolean compressed() {
      return false;
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
  }

  /** The last merge, after as many rounds as it takes to get there. */
  public KWayMerge merge(List<? extends MergeRun> runs) throws IOException {
    TreeSet<Waiting> waiting = new TreeSet<>();
    for (MergeRun run : runs) {
      expect(run);
      waiting.add(new Waiting(run, waiting.size()));
    }
    int size = roundSize(waiting);
    if (size == 0) {
      return start(runs);
    }
    try {
      for (MergeRun run : runs) {
        run.suspend(); // its windows are for those that are merged before
      }
      for (int number = runs.size(); size > 0; size = roundSize(waiting)) {
        waiting.add(new Waiting(mergeRound(take(waiting, size)), number++));
      }
    } catch (IOException | RuntimeException | Error e) {
      Closing.after(e, waiting.stream().map(Waiting::run).toList());
      throw e;
    }
    return start(take(waiting, waiting.size()));
  }

  private int roundSize(TreeSet<Waiting> waiting) {
    return MergePlan.roundSize(
        waiting.size(), fanIn(waiting.descendingSet().stream().map(Waiting::run)));
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
  int fanIn(Stream<? extends MergeRun> longestFirst) {
    return fanIn(longestFirst.mapToLong(MergeRun::rawLengthBytes));
  }

  /** Runs of which one merge takes as many, however long they are. */
  int leastFanIn() {
    return fanIn(LongStream.generate(() -> Long.MAX_VALUE));
  }

  private int fanIn(LongStream rawLengthsBytes) {
    return Math.max(2, Math.min(memory.maxRuns(recordBytes, rawLengthsBytes), windows.count()));
  }

  /** Makes one run of several, {@link #fanIn} at most. */
  MergeRun mergeRound(List<? extends MergeRun> runs) throws IOException {
    rounds++;
    try (KWayMerge merge = start(runs)) {
      StagedRun staged = stage.create("merge of " + runs.size() + " runs");
      try {
        write(merge, staged);
        return new MergedRun(staged.name(), staged.lengthBytes(), staged.open());
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

  private void write(KWayMerge merge, StagedRun staged) throws IOException {
    RunEncoder encoder = new RunEncoder(staged::write);
    while (merge.next()) {
      if (Thread.currentThread().isInterrupted()) {
        throw new InterruptedIOException("interrupted in a " + staged.name());
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
    staged.finish();
  }

  /** Starts to merge; owns the runs, and closes them when it fails. */
  private KWayMerge start(List<? extends MergeRun> runs) throws IOException {
    List<RunCursor> cursors = new ArrayList<>(runs.size());
    try {
      windows.prepare(runs);
      for (MergeRun run : runs) {
        int blockBytes = memory.blockBytes(runs.size(), run.rawLengthBytes());
        RunInput input = run.compressed() ? new CodecRunInput(run.input(), codec) : run.input();
        cursors.add(new RunCursor(run.name(), input, blockBytes));
      }
      return new KWayMerge(cursors, order);
    } catch (IOException | RuntimeException | Error e) {
      Closing.after(e, cursors); // gives decompressors back
      Closing.after(e, runs);
      throw e;
    }
  }
}
