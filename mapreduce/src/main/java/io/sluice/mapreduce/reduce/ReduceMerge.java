package io.sluice.mapreduce.reduce;

import io.sluice.mapreduce.merge.MergeMemory;
import io.sluice.mapreduce.merge.RunCodec;
import io.sluice.mapreduce.merge.RunCodec.RunCompressor;
import io.sluice.mapreduce.merge.RunForm;
import io.sluice.mapreduce.stage.StageArea;
import io.sluice.mapreduce.stage.StageArea.StagedRun;
import io.sluice.rdma.memory.Closer;
import io.sluice.spill.format.RunEncoder;
import io.sluice.spill.merge.KWayMerge;
import io.sluice.spill.merge.RunCursor;
import io.sluice.spill.merge.RunInput;
import io.sluice.spill.sort.KeyOrder;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.stream.LongStream;
import org.apache.hadoop.io.compress.CompressionCodec;
import org.apache.hadoop.util.Progressable;

/**
 * Merges a reducer's runs as a stream. If the runs fit into one merge nothing is written; else
 * rounds write to the stage first, in chunks or as plain records. The number of runs in a merge
 * limits its windows, heap, decompressors and open files.
 *
 * <p>Thread contract: one thread. Ownership: owns the runs, and hands them to the merges that it
 * starts. Failure: {@link IOException} of a run or the stage; {@link InterruptedIOException} if a
 * round is interrupted.
 */
public final class ReduceMerge {
  private final MergeWindows windows;
  private final StageArea stage;
  private final RunCodec codec;
  private final KeyOrder order;
  private final Progressable progress;
  private MergeMemory memory; // for the longest chunks of the runs expected so far
  private long recordBytes;
  private boolean hasStreams;
  private int rounds;
  private long roundRecords;

  /**
   * Merges through {@code windows}; rounds write to {@code stage}.
   *
   * @param codec of compressed runs, or null
   * @param memory of the task
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
    this.memory = memory.ofReduce();
  }

  /** Announces a run that will be merged later. */
  void expect(MergeRun run) {
    recordBytes = Math.max(recordBytes, run.meanRecordBytes());
    hasStreams |= run.isStream();
    if (run.chunkBytes() > memory.chunkBytes()) {
      memory = memory.withChunks(run.chunkBytes());
    }
  }

  /** Starts the last merge, after the rounds that it needs. */
  public KWayMerge merge(List<? extends MergeRun> runs) throws IOException {
    runs.forEach(this::expect);
    WaitingRuns waiting = new WaitingRuns(runs);
    long streams = streams(runs);
    List<MergeRun> round = takeRound(waiting, streams);
    if (round.isEmpty()) {
      return start(runs);
    }
    try {
      suspend(runs, round);
      for (; !round.isEmpty(); round = takeRound(waiting, streams)) {
        streams -= streams(round); // a round writes no stream
        waiting.add(mergeRound(round));
      }
    } catch (IOException | RuntimeException | Error e) {
      Closer.after(e, waiting.all());
      throw e;
    }
    return start(waiting.take(waiting.size()));
  }

  /** Releases the windows of all runs, for the runs of the first round. */
  private static void suspend(List<? extends MergeRun> runs, List<MergeRun> round) {
    try {
      runs.forEach(MergeRun::suspend);
    } catch (RuntimeException | Error e) {
      Closer.after(e, round); // the caller closes the others
      throw e;
    }
  }

  /** Takes the runs of the next round; none if all waiting runs can be merged at once. */
  private List<MergeRun> takeRound(WaitingRuns waiting, long streams) {
    int fanIn = fanIn(streams, waiting.leastBlocksBytes());
    int size = KWayMerge.roundSize(waiting.size(), fanIn);
    return size > 0 && isHeldUp(waiting.size(), streams, waiting.leastBlocksBytes(), fanIn)
        ? waiting.takeStreams(streamsOfRound(waiting, streams, fanIn))
        : waiting.take(size);
  }

  /** The fewest streams after which one merge can take the rest, or as many as one merge takes. */
  private int streamsOfRound(WaitingRuns waiting, long streams, int fanIn) {
    int size = (int) Math.min(streams, fanIn);
    while (size > 2
        && waiting.size() - size + 2 <= fanIn(streams - size + 1, waiting.leastBlocksBytes())) {
      size--;
    }
    return size;
  }

  /**
   * Whether one merge could take more of these runs if the streams among them were merged first.
   * False if all are streams; then the shortest are merged first.
   */
  boolean isHeldUpByStreams(List<? extends MergeRun> runs) {
    return isHeldUp(runs.size(), streams(runs), leastBlocksBytes(runs), fanIn(runs));
  }

  private boolean isHeldUp(int runs, long streams, LongStream leastBlocksBytes, int fanIn) {
    return streams > 1 && streams < runs && fanIn(0, leastBlocksBytes) > fanIn;
  }

  private static long streams(List<? extends MergeRun> runs) {
    return runs.stream().filter(MergeRun::isStream).count();
  }

  /** The longest first. */
  private static LongStream leastBlocksBytes(List<? extends MergeRun> runs) {
    return runs.stream()
        .map(MergeRun::leastBlockBytes)
        .sorted(Comparator.reverseOrder())
        .mapToLong(Long::longValue);
  }

  /**
   * The most runs that one merge takes, whichever of these they are. All must be announced by
   * {@link #expect}. See {@link MergeMemory#maxRuns}.
   */
  int fanIn(List<? extends MergeRun> runs) {
    return fanIn(streams(runs), leastBlocksBytes(runs));
  }

  /** The number of runs that one merge can always take, whichever announced runs they are. */
  int leastFanIn() {
    long longestBytes = MergeMemory.leastBlockBytes(Long.MAX_VALUE, memory.chunkBytes());
    return fanIn(hasStreams ? Long.MAX_VALUE : 0, LongStream.generate(() -> longestBytes));
  }

  private int fanIn(long streams, LongStream leastBlocksBytes) {
    return Math.max(
        2, Math.min(memory.maxRuns(recordBytes, streams, leastBlocksBytes), windows.count()));
  }

  /** Merges runs into one, at most {@link #fanIn}. */
  MergeRun mergeRound(List<? extends MergeRun> runs) throws IOException {
    rounds++;
    int chunkBytes = memory.compressesRounds() ? memory.chunkBytes() : 0;
    try (KWayMerge merge = start(runs)) {
      StagedRun staged = stage.create("merge of " + runs.size() + " runs");
      try {
        long rawLengthBytes = write(merge, staged, chunkBytes);
        staged.finish();
        Closer.all(runs); // a run may hold more than its input, which the merge closes
        return new MergedRun(
            staged.name(),
            staged.lengthBytes(),
            rawLengthBytes,
            chunkBytes > 0 ? RunForm.CHUNKS : RunForm.PLAIN,
            chunkBytes,
            staged.open());
      } catch (IOException | RuntimeException | Error e) {
        Closer.after(e, staged);
        throw e;
      }
    }
  }

  /** The number of rounds that were begun. */
  public int rounds() {
    return rounds;
  }

  /** The number of records that rounds have written. */
  public long roundRecords() {
    return roundRecords;
  }

  /** Returns the length before compression. */
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

  /** Starts a merge; closes all runs if that fails. */
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
      Closer.after(e, cursors); // gives decompressors back
      Closer.after(e, runs);
      throw e;
    }
  }

  /** The run that a round has staged. */
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
      return 0; // counted with the runs of the round
    }
  }

  /**
   * The windows through which the runs of a merge are read; their number may be small.
   *
   * <p>Thread contract: the merging thread.
   */
  public interface MergeWindows {
    /** No limit and no windows. */
    MergeWindows UNBOUNDED =
        new MergeWindows() {
          @Override
          public int count() {
            return Integer.MAX_VALUE;
          }

          @Override
          public void prepare(List<? extends MergeRun> runs) {}
        };

    /** Most runs that can be read at once. */
    int count();

    /** Divides the windows among the runs of the next merge, at most {@link #count}. */
    void prepare(List<? extends MergeRun> runs);
  }
}
