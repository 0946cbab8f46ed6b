package io.sluice.local.exchange;

import io.sluice.mapreduce.merge.MergeMemory;
import io.sluice.mapreduce.merge.MergedRecords;
import io.sluice.mapreduce.order.KeyOrders;
import io.sluice.mapreduce.reduce.MergeRun;
import io.sluice.mapreduce.reduce.MergeWindows;
import io.sluice.mapreduce.reduce.ReduceMerge;
import io.sluice.mapreduce.stage.LeasedStage;
import io.sluice.spill.cipher.OutputKey;
import io.sluice.spill.merge.KWayMerge;
import io.sluice.spill.store.Lease;
import io.sluice.spill.writer.ReceivedExtents;
import java.io.Closeable;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.List;
import org.apache.hadoop.mapred.JobConf;
import org.apache.hadoop.mapred.RawKeyValueIterator;
import org.apache.hadoop.mapred.ShuffleConsumerPlugin;
import org.apache.hadoop.mapred.TaskAttemptID;
import org.apache.hadoop.mapred.TaskStatus;
import org.apache.hadoop.util.Progress;

/**
 * Merges what the maps of the same process have put out for a reduce, in place.
 *
 * <p>Thread contract: the reduce task's thread. Ownership: the reduce task closes it after a
 * successful reduce; in failure whoever runs the task does, through {@link JobExchange#ended}.
 * Failure: {@link IOException} of the store; {@link InterruptedException} if the job ends first.
 */
public final class LocalShuffle<K, V> implements ShuffleConsumerPlugin<K, V> {
  /** Created by stock's fetchers, so that every job shows them. */
  private static final String[] STOCK_ERRORS = {
    "BAD_ID", "CONNECTION", "IO_ERROR", "WRONG_LENGTH", "WRONG_MAP", "WRONG_REDUCE"
  };

  private Context<K, V> context;
  private Lease lease;
  private OutputKey stageKey;
  private LeasedStage stage;
  private MergedRecords records;

  /** Made by the reduce task. */
  public LocalShuffle() {}

  @Override
  public void init(Context<K, V> context) {
    this.context = context;
  }

  @Override
  public RawKeyValueIterator run() throws IOException, InterruptedException {
    TaskAttemptID reduce = (TaskAttemptID) context.getReduceId();
    JobExchange exchange = JobExchange.of(reduce.getJobID());
    for (String error : STOCK_ERRORS) {
      context.getReporter().getCounter("Shuffle Errors", error).increment(0);
    }
    JobOutputs outputs = exchange.outputs();
    if (!exchange.awaitAll(context.getReporter())) {
      throw new InterruptedException(reduce + " will not get all map outputs: its job ends");
    }
    exchange.opened(reduce, this::closeAll);
    context.getCopyPhase().complete();
    context.getStatus().setPhase(TaskStatus.Phase.SORT);
    context.getReduceTask().statusUpdate(context.getUmbilical());
    List<MergeRun> runs = exchange.runs(reduce.getTaskID().getId());
    context.getShuffledMapsCounter().increment(outputs.maps());
    context.getMergedMapOutputsCounter().increment(outputs.maps());
    context.getReduceShuffleBytes().increment(runs.stream().mapToLong(MergeRun::lengthBytes).sum());
    records = new MergedRecords(merge(outputs, runs), new Progress());
    return records;
  }

  private KWayMerge merge(JobOutputs outputs, List<MergeRun> runs) throws IOException {
    JobConf job = context.getJobConf();
    lease = outputs.store().openLease(outputs.applicationId());
    stageKey = outputs.key() == null ? null : outputs.key().newScratch();
    stage =
        new LeasedStage(new ReceivedExtents(lease, () -> true), outputs.store()::target, stageKey);
    long recordBytes = runs.stream().mapToLong(MergeRun::meanRecordBytes).max().orElse(0);
    MergeMemory memory = new MergeMemory(context.getCodec(), job, stageKey != null);
    return new ReduceMerge(
            MergeWindows.UNBOUNDED,
            stage,
            context.getCodec(),
            KeyOrders.of(job),
            context.getReporter(),
            memory.maxRuns(recordBytes))
        .merge(runs);
  }

  @Override
  public void close() {
    try {
      closeAll();
    } catch (IOException e) {
      throw new UncheckedIOException("the shuffle did not close cleanly", e);
    }
  }

  private void closeAll() throws IOException {
    Closeable closingRecords = records == null ? null : records::close;
    Lease closingLease = lease;
    OutputKey closingKey = stageKey;
    LeasedStage closingStage = stage;
    records = null;
    lease = null;
    stageKey = null;
    stage = null;
    // From the last to the first: the merge reads what is staged, in what is leased.
    try (closingKey;
        closingLease;
        closingStage) {
      if (closingRecords != null) {
        closingRecords.close();
      }
    }
  }
}
