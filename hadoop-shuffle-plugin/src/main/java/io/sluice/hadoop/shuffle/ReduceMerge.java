package io.sluice.hadoop.shuffle;

import io.sluice.hadoop.SluiceCounter;
import io.sluice.hadoop.merge.CodecRunInput;
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
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import org.apache.hadoop.io.compress.CompressionCodec;
import org.apache.hadoop.mapred.Reporter;

/**
 * Merges a reducer's runs as a stream: nothing is written while the runs fit into one merge, and
 * bounded rounds go to the stage when they do not.
 *
 * <p>Thread contract: one thread. Ownership: takes the runs over and hands them to the merges it
 * makes. Failure: {@link IOException} of a run or the stage.
 */
final class ReduceMerge {
  /** Heap for parsing, over all runs; each has a block of at least {@link #MIN_BLOCK_BYTES}. */
  private static final int BLOCKS_BYTES = 16 << 20;

  private static final int MIN_BLOCK_BYTES = 16 << 10;
  private static final int MAX_BLOCK_BYTES = 128 << 10;

  private final NodeReader reader;
  private final StageArea stage;
  private final CompressionCodec codec;
  private final KeyOrder order;
  private final Reporter reporter;

  ReduceMerge(
      NodeReader reader,
      StageArea stage,
      CompressionCodec codec,
      KeyOrder order,
      Reporter reporter) {
    this.reader = reader;
    this.stage = stage;
    this.codec = codec;
    this.order = order;
    this.reporter = reporter;
  }

  /** The last merge, after as many rounds as it takes to get there. */
  KWayMerge merge(List<FetchedRun> runs) throws IOException {
    int fanIn = Math.max(2, Math.min(reader.windowCount(), BLOCKS_BYTES / MIN_BLOCK_BYTES));
    List<FetchedRun> left = new ArrayList<>(runs);
    try {
      while (true) {
        int[] round =
            MergePlan.nextRound(left.stream().mapToLong(FetchedRun::lengthBytes).toArray(), fanIn);
        if (round.length == 0) {
          return start(left, List.of());
        }
        left = mergeRound(left, round);
      }
    } catch (IOException | RuntimeException | Error e) {
      for (FetchedRun run : left) {
        closeAfter(run, e);
      }
      throw e;
    }
  }

  private List<FetchedRun> mergeRound(List<FetchedRun> runs, int[] round) throws IOException {
    SluiceCounter.MERGE_ROUNDS.add(reporter, 1);
    List<FetchedRun> merged = new ArrayList<>();
    List<FetchedRun> rest = new ArrayList<>(runs);
    for (int index : round) {
      merged.add(runs.get(index));
      rest.remove(runs.get(index));
    }
    StagedRun staged = stage.create("merge of " + merged.size() + " runs");
    try (KWayMerge merge = start(merged, rest)) {
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
    } catch (IOException | RuntimeException | Error e) {
      staged.close();
      throw e;
    }
    rest.add(new FetchedRun(staged.name(), staged.lengthBytes(), false, staged.open(), null));
    return rest;
  }

  private KWayMerge start(List<FetchedRun> runs, List<FetchedRun> waiting) throws IOException {
    for (FetchedRun run : waiting) {
      if (run.node() != null) {
        run.node().suspend();
      }
    }
    List<NodeRun> nodeRuns = new ArrayList<>();
    for (FetchedRun run : runs) {
      if (run.node() != null) {
        nodeRuns.add(run.node());
      }
    }
    reader.prepareMerge(nodeRuns);
    int blockBytes =
        Math.max(
            MIN_BLOCK_BYTES, Math.min(MAX_BLOCK_BYTES, BLOCKS_BYTES / Math.max(1, runs.size())));
    List<RunCursor> cursors = new ArrayList<>(runs.size());
    for (FetchedRun run : runs) {
      RunInput input = run.compressed() ? new CodecRunInput(run.input(), codec) : run.input();
      cursors.add(new RunCursor(run.name(), input, blockBytes));
    }
    return new KWayMerge(cursors, order);
  }

  private static void closeAfter(FetchedRun run, Throwable failure) {
    try {
      run.close();
    } catch (IOException e) {
      failure.addSuppressed(e);
    }
  }
}
