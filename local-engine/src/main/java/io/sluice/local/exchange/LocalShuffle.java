package io.sluice.local.exchange;

import io.sluice.mapreduce.merge.MergeMemory;
import io.sluice.mapreduce.merge.RecordIterator;
import io.sluice.mapreduce.order.KeyOrders;
import io.sluice.mapreduce.reduce.GrowingMerge;
import io.sluice.mapreduce.reduce.MergeRun;
import io.sluice.mapreduce.reduce.ReduceMerge;
import io.sluice.mapreduce.reduce.ReduceMerge.MergeWindows;
import io.sluice.mapreduce.stage.LeasedStage;
import io.sluice.spill.cipher.OutputKey;
import io.sluice.spill.sort.KeyOrder;
import io.sluice.spill.store.Lease;
import io.sluice.spill.writer.ReceivedExtents;
import java.io.Closeable;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.List;
import org.apache.hadoop.io.compress.CompressionCodec;
import org.apache.hadoop.mapred.JobConf;
import org.apache.hadoop.mapred.RawKeyValueIterator;
import org.apache.hadoop.mapred.ShuffleConsumerPlugin;
import org.apache.hadoop.mapred.TaskAttemptID;
import org.apache.hadoop.mapred.TaskStatus;
import org.apache.hadoop.util.Progress;

/**
 * Merges the map outputs of the same process for a reduce, in place. If there will be more runs
 * than the last merge can take, it merges rounds while maps run.
 *
 * <p>Rounds belong to this attempt. The map outputs stay until the job ends, because other reduces
 * and later attempts read them.
 *
 * <p>Thread contract: the reduce task's thread. Ownership: the reduce task closes it after a
 * successful reduce; after a failure {@link JobExchange#ended} does. Failure: {@link IOException}
 * of the store; {@link InterruptedException} if the job ends first.
 */
public final class LocalShuffle<K, V> implements ShuffleConsumerPlugin<K, V> {
  /** Stock's fetchers create these counters, so every job shows them. */
  private static final String[] STOCK_ERRORS = {
    "BAD_ID", "CONNECTION", "IO_ERROR", "WRONG_LENGTH", "WRONG_MAP", "WRONG_REDUCE"
  };

  private Context<K, V> context;
  private Lease lease;
  private OutputKey stageKey;
  private LeasedStage stage;
  private GrowingMerge merge;
  private long spilledRecords;
  private RecordIterator records;

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
    exchange.opened(reduce, this::closeAll);
    open(outputs);
    gather(exchange, reduce);
    context.getCopyPhase().complete();
    context.getStatus().setPhase(TaskStatus.Phase.SORT);
    context.getReduceTask().statusUpdate(context.getUmbilical());
    records = RecordIterator.of(merge.last(), new Progress());
    countRounds();
    return records;
  }

  private void open(JobOutputs outputs) throws IOException {
    JobConf job = context.getJobConf();
    lease = outputs.store().openLease(outputs.applicationId());
    stageKey = outputs.key() == null ? null : outputs.key().newScratch();
    stage =
        new LeasedStage(
            new ReceivedExtents(lease, () -> true),
            outputs.store()::target,
            LeasedStage.WINDOW_BYTES,
            stageKey);
    KeyOrder order = KeyOrders.of(job);
    MergeMemory memory =
        new MergeMemory(context.getCodec(), job, stageKey != null, outputs.shares().ofTask());
    merge =
        new GrowingMerge(
            new ReduceMerge(
                MergeWindows.UNBOUNDED,
                stage,
                context.getCodec(),
                order,
                context.getReporter(),
                memory));
  }

  /** Reads outputs until the last map has ended, and merges the rounds that are needed. */
  private void gather(JobExchange exchange, TaskAttemptID reduce)
      throws IOException, InterruptedException {
    JobOutputs outputs = exchange.outputs();
    int partition = reduce.getTaskID().getId();
    CompressionCodec codec = context.getCodec();
    int taken = 0;
    while (true) {
      context.getReporter().progress();
      JobExchange.Next next = exchange.follow(taken);
      if (next == null) {
        throw new InterruptedException(
            reduce + " will not get all map outputs, because its job ends");
      }
      for (TaskAttemptID map : next.maps()) {
        take(1, map.getTaskID().getId(), outputs.runs(outputs.id(map), partition, codec));
      }
      taken += next.maps().size();
      if (next.isAll()) {
        SharedSortBuffers streams = exchange.streams();
        if (streams != null) {
          take(outputs.maps(), 0, streams.runs(partition, codec));
        }
        return;
      }
      if (!next.maps().isEmpty()) {
        context.getCopyPhase().set((float) taken / outputs.maps());
        context.getCopyPhase().setStatus("copy(" + taken + " of " + outputs.maps() + ")");
      }
      while (merge.mergeRound(outputs.maps() - taken)) {
        countRounds();
      }
    }
  }

  private void take(int maps, int output, List<MergeRun> runs) {
    merge.add(output, runs);
    context.getShuffledMapsCounter().increment(maps);
    context.getMergedMapOutputsCounter().increment(maps);
    context.getReduceShuffleBytes().increment(runs.stream().mapToLong(MergeRun::lengthBytes).sum());
  }

  /** Counts records of rounds as spilled, as stock does. */
  private void countRounds() {
    context.getSpilledRecordsCounter().increment(merge.roundRecords() - spilledRecords);
    spilledRecords = merge.roundRecords();
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
    GrowingMerge closingMerge = merge;
    Lease closingLease = lease;
    OutputKey closingKey = stageKey;
    LeasedStage closingStage = stage;
    records = null;
    merge = null;
    lease = null;
    stageKey = null;
    stage = null;
    // In reverse: the merge reads staged runs, which lie in the lease.
    try (closingKey;
        closingLease;
        closingStage;
        closingMerge) {
      if (closingRecords != null) {
        closingRecords.close();
      }
    }
  }
}
