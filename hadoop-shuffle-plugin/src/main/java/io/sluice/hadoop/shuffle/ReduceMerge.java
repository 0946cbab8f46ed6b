package io.sluice.hadoop.shuffle;

import io.sluice.hadoop.SluiceCounter;
import io.sluice.hadoop.merge.CodecRunInput;
import io.sluice.hadoop.merge.MergeMemory;
import io.sluice.hadoop.stage.StageArea;
import io.sluice.hadoop.stage.StagedRun;
import io.sluice.node.client.NodeReader;
import io.sluice.node.client.NodeRun;
import io.sluice.spill.merge.KWayMerge;
import io.sluice.spill.merge.MergePlan;
import io.sluice.spill.merge.RunCursor;
import io.sluice.spill.merge.RunInput;
import io.sluice.spill.record.RunEncoder;
import io.sluice.spill.sort.KeyOrder;
import java.io.Closeable;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.PriorityQueue;
import org.apache.hadoop.io.compress.CompressionCodec;
import org.apache.hadoop.mapred.Reporter;

/**
 * Merges a reducer's runs as a stream: nothing is written while the runs fit into one merge, and
 * bounded rounds go to the stage when they do not. What a merge needs at once is bounded by how
 * many runs it has: windows, heap for parsing, decompressors and open files.
 *
 * <p>Thread contract: one thread. Ownership: takes the runs over and hands them to the merges it
 * makes. Failure: {@link IOException} of a run or the stage.
 */
final class ReduceMerge {
  private final NodeReader reader;
  private final StageArea stage;
  private final CompressionCodec codec;
  private final KeyOrder order;
  private final Reporter reporter;
  private final int fanIn;

  /**
   * Merges over {@code reader} and {@code stage}.
   *
   * @param maxRuns most runs to merge at once, if the windows allow more
   */
  ReduceMerge(
      NodeReader reader,
      StageArea stage,
      CompressionCodec codec,
      KeyOrder order,
      Reporter reporter,
      int maxRuns) {
    this.reader = reader;
    this.stage = stage;
    this.codec = codec;
    this.order = order;
    this.reporter = reporter;
    this.fanIn = Math.max(2, Math.min(maxRuns, reader.windowCount()));
  }

  /** A run in the order of merging: the shortest first, and of equal ones the earlier. */
  private record Waiting(FetchedRun run, int number) implements Comparable<Waiting> {
    @Override
    public int compareTo(Waiting other) {
      int result = Long.compare(run.lengthBytes(), other.run.lengthBytes());
      return result != 0 ? result : Integer.compare(number, other.number);
    }
  }

  /** The last merge, after as many rounds as it takes to get there. */
  KWayMerge merge(List<FetchedRun> runs) throws IOException {
    if (MergePlan.roundSize(runs.size(), fanIn) == 0) {
      return start(runs);
    }
    PriorityQueue<Waiting> waiting = new PriorityQueue<>();
    try {
      int number = 0;
      for (FetchedRun run : runs) {
        waiting.add(new Waiting(run, number++));
        run.suspend(); // its windows are for those that are merged before
      }
      for (int size = MergePlan.roundSize(waiting.size(), fanIn);
          size > 0;
          size = MergePlan.roundSize(waiting.size(), fanIn)) {
        waiting.add(new Waiting(mergeRound(take(waiting, size)), number++));
      }
    } catch (IOException | RuntimeException | Error e) {
      closeAfter(waiting.stream().map(Waiting::run).toList(), e);
      throw e;
    }
    return start(take(waiting, waiting.size()));
  }

  private static List<FetchedRun> take(PriorityQueue<Waiting> waiting, int count) {
    List<FetchedRun> taken = new ArrayList<>(count);
    for (int i = 0; i < count; i++) {
      taken.add(waiting.remove().run());
    }
    return taken;
  }

  private FetchedRun mergeRound(List<FetchedRun> runs) throws IOException {
    SluiceCounter.MERGE_ROUNDS.add(reporter, 1);
    try (KWayMerge merge = start(runs)) {
      StagedRun staged = stage.create("merge of " + runs.size() + " runs");
      try {
        write(merge, staged);
        return new FetchedRun(staged.name(), staged.lengthBytes(), false, staged.open(), null);
      } catch (IOException | RuntimeException | Error e) {
        closeAfter(staged, e);
        throw e;
      }
    }
  }

  private void write(KWayMerge merge, StagedRun staged) throws IOException {
    RunEncoder encoder = new RunEncoder(staged::write);
    while (merge.next()) {
      encoder.append(
          merge.keyBytes(),
          merge.keyOffset(),
          merge.keyLength(),
          merge.valueBytes(),
          merge.valueOffset(),
          merge.valueLength());
      reporter.progress();
    }
    encoder.finish();
    staged.finish();
  }

  /** Starts to merge; owns the runs, and closes them when it fails. */
  private KWayMerge start(List<FetchedRun> runs) throws IOException {
    List<RunCursor> cursors = new ArrayList<>(runs.size());
    try {
      List<NodeRun> nodeRuns = new ArrayList<>();
      for (FetchedRun run : runs) {
        if (run.node() != null) {
          nodeRuns.add(run.node());
        }
      }
      reader.prepareMerge(nodeRuns);
      int blockBytes = MergeMemory.blockBytes(runs.size());
      for (FetchedRun run : runs) {
        RunInput input = run.compressed() ? new CodecRunInput(run.input(), codec) : run.input();
        cursors.add(new RunCursor(run.name(), input, blockBytes));
      }
      return new KWayMerge(cursors, order);
    } catch (IOException | RuntimeException | Error e) {
      closeAfter(cursors, e); // gives decompressors back
      closeAfter(runs, e);
      throw e;
    }
  }

  private static void closeAfter(List<? extends Closeable> closing, Throwable failure) {
    closing.forEach(each -> closeAfter(each, failure));
  }

  private static void closeAfter(Closeable closing, Throwable failure) {
    try {
      closing.close();
    } catch (IOException | RuntimeException e) {
      failure.addSuppressed(e);
    }
  }
}
