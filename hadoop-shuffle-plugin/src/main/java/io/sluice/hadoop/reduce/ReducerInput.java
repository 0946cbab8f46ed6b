package io.sluice.hadoop.reduce;

import io.sluice.hadoop.SluiceCounter;
import io.sluice.mapreduce.merge.MergeMemory;
import io.sluice.mapreduce.merge.RecordIterator;
import io.sluice.mapreduce.order.KeyOrders;
import io.sluice.mapreduce.reduce.MergeRun;
import io.sluice.mapreduce.reduce.ReduceMerge;
import io.sluice.mapreduce.reduce.ReduceMerge.MergeWindows;
import io.sluice.mapreduce.stage.StageArea;
import io.sluice.node.client.NodeReader;
import io.sluice.node.client.NodeRun;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.util.ArrayList;
import java.util.List;
import org.apache.hadoop.io.DataInputBuffer;
import org.apache.hadoop.mapred.RawKeyValueIterator;
import org.apache.hadoop.mapred.ShuffleConsumerPlugin;
import org.apache.hadoop.mapred.TaskAttemptID;
import org.apache.hadoop.util.Progress;

/**
 * The reducer's input: the merge of all runs, which reads records while they are reduced. So a map
 * output may turn out to be lost as late as here, and is reported.
 *
 * <p>Thread contract: the task's thread. Ownership: owns the runs; the reader and the stage stay
 * the caller's. Failure: that of the merge, or what {@link LostOutputs} makes of it.
 */
final class ReducerInput implements RawKeyValueIterator {
  private final RawKeyValueIterator records;
  private final LostOutputs lostOutputs;

  private ReducerInput(RawKeyValueIterator records, LostOutputs lostOutputs) {
    this.records = records;
    this.lostOutputs = lostOutputs;
  }

  /** Begins the merge. Where there are too many runs for one, rounds of merging come first. */
  static ReducerInput merge(
      ShuffleConsumerPlugin.Context<?, ?> context,
      List<MergeRun> runs,
      NodeReader reader,
      StageArea stage,
      MergeMemory memory,
      FailureReports failureReports)
      throws IOException {
    int partition = context.getReduceId().getTaskID().getId();
    LostOutputs lostOutputs =
        new LostOutputs(
            runs,
            context.getReporter(),
            new Losses(context, failureReports),
            (address, outputId) -> reader.isDamaged(address, partition, outputId));
    ReduceMerge merge =
        new ReduceMerge(
            new Windows(reader),
            stage,
            context.getCodec(),
            KeyOrders.of(context.getJobConf()),
            context.getReporter(),
            memory);
    try {
      return new ReducerInput(RecordIterator.of(merge.merge(runs), new Progress()), lostOutputs);
    } catch (IOException e) {
      throw lostOutputs.report(e); // a round of merging reads whole outputs
    } finally {
      SluiceCounter.MERGE_ROUNDS.add(context.getReporter(), merge.rounds());
    }
  }

  /** The windows of the reader that fetches from nodes' pools; staged runs need none. */
  private record Windows(NodeReader reader) implements MergeWindows {
    @Override
    public int count() {
      return reader.windowCount();
    }

    @Override
    public void prepare(List<? extends MergeRun> runs) {
      List<NodeRun> nodeRuns = new ArrayList<>();
      for (MergeRun run : runs) {
        if (run instanceof PoolRun pool) {
          nodeRuns.add(pool.opened());
        }
      }
      reader.prepareMerge(nodeRuns);
    }
  }

  /** The merge's losses go to the ApplicationMaster before this attempt ends. */
  private record Losses(ShuffleConsumerPlugin.Context<?, ?> context, FailureReports reports)
      implements LostOutputs.Report {
    @Override
    public void outputForged() {
      SluiceCounter.FORGED_RUNS.add(context.getReporter(), 1);
    }

    @Override
    public void outputUnreadable(TaskAttemptID map) throws IOException {
      reports.add(map);
      context.getFailedShuffleCounter().increment(1);
      try {
        reports.send();
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
        throw new InterruptedIOException("interrupted while lost map outputs were reported");
      }
    }
  }

  @Override
  public boolean next() throws IOException {
    try {
      return records.next();
    } catch (IOException e) {
      throw lostOutputs.report(e);
    }
  }

  @Override
  public DataInputBuffer getKey() throws IOException {
    return records.getKey();
  }

  @Override
  public DataInputBuffer getValue() throws IOException {
    return records.getValue();
  }

  @Override
  public Progress getProgress() {
    return records.getProgress();
  }

  @Override
  public void close() throws IOException {
    records.close();
  }
}
