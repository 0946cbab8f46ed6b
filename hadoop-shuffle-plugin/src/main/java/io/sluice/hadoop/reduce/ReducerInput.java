package io.sluice.hadoop.reduce;

import io.sluice.hadoop.SluiceCounter;
import io.sluice.mapreduce.merge.MergeMemory;
import io.sluice.mapreduce.merge.RecordIterator;
import io.sluice.mapreduce.order.KeyOrders;
import io.sluice.mapreduce.reduce.MergeRun;
import io.sluice.mapreduce.reduce.ReduceMerge;
import io.sluice.mapreduce.reduce.ReduceMerge.MergeWindows;
import io.sluice.mapreduce.stage.StageArea;
import io.sluice.node.client.FetchFailedException;
import io.sluice.node.client.NodeBusyException;
import io.sluice.node.client.NodeReader;
import io.sluice.node.client.NodeRun;
import io.sluice.node.client.ReaderFailedException;
import io.sluice.node.wire.FailureMeaning;
import io.sluice.node.wire.NodeAddress;
import io.sluice.rdma.text.ErrorText;
import io.sluice.rdma.transport.TransportException;
import io.sluice.rdma.transport.TransportException.RegistrationException;
import io.sluice.spill.cipher.DecryptedRunInput.ForgedRunException;
import io.sluice.spill.merge.RunInput.ChecksumException;
import io.sluice.spill.merge.RunInput.ClosedRunException;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.util.ArrayList;
import java.util.List;
import org.apache.hadoop.io.DataInputBuffer;
import org.apache.hadoop.mapred.RawKeyValueIterator;
import org.apache.hadoop.mapred.ShuffleConsumerPlugin;
import org.apache.hadoop.mapred.TaskAttemptID;
import org.apache.hadoop.util.Progress;
import org.apache.hadoop.util.Progressable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

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

  /**
   * Tells the ApplicationMaster which map to run again when an output turns out to be lost or
   * damaged while it is merged. So the next attempt of this reduce does not meet the same failure.
   *
   * <p>If a failure does not name its output, this reads all outputs to the end to find it.
   *
   * <p>An output is reported once: this reduce may have damaged memory itself, and must not make a
   * healthy map run again alone. The next attempt of the reduce asks for the output again before it
   * merges. Damaged bytes may have been damaged on their way, or here. So the service is asked to
   * check its own bytes. It gives up an output that it finds damaged, and the next attempt reports
   * that as lost.
   *
   * <p>Thread contract: one thread, which no longer merges. Ownership: closes the runs that it
   * reads. Failure: none of its own; further failures are suppressed in the one that it looks into.
   */
  static final class LostOutputs {
    private static final Logger LOG = LoggerFactory.getLogger(LostOutputs.class);
    private static final int READ_BYTES = 64 << 10;

    private final List<? extends MergeRun> runs;
    private final Progressable progressable;
    private final Report report;
    private final Services services;
    private boolean reported;

    /** Reports to the ApplicationMaster. */
    interface Report {
      /** The output of this map attempt could not be read. */
      void outputUnreadable(TaskAttemptID map) throws IOException;

      /** No task of the job encrypted the output so. */
      void outputForged();
    }

    /** Asks the nodes' services. */
    @FunctionalInterface
    interface Services {
      /** Has the node's service check an output; whether it is damaged, and so given up. */
      boolean isDamaged(NodeAddress address, String outputId) throws IOException;
    }

    /** Looks for the culprit among {@code runs}. */
    LostOutputs(
        List<? extends MergeRun> runs,
        Progressable progressable,
        Report report,
        Services services) {
      this.runs = List.copyOf(runs);
      this.progressable = progressable;
      this.report = report;
      this.services = services;
    }

    /** Reports the outputs that {@code failure} is about, if any, and returns what to throw. */
    IOException report(IOException failure) {
      if (failure instanceof NodeBusyException
          || failure instanceof ReaderFailedException
          || failure instanceof RegistrationException
          || FailureMeaning.isShort(failure)) {
        return failure; // no output is lost by it
      }
      FetchFailedException lost =
          failure instanceof FetchFailedException known ? known : investigate(failure);
      if (lost == null || reported) {
        return lost == null ? failure : lost;
      }
      reported = true; // a caller that reads on gets the failure again, the master no second report
      try {
        if (lost.getCause() instanceof ForgedRunException) {
          report.outputForged();
        }
        if (mayBeDamaged(lost)) {
          haveChecked(lost.outputId());
        }
        report.outputUnreadable(TaskAttemptID.forName(lost.outputId()));
      } catch (IOException | RuntimeException e) {
        lost.addSuppressed(e);
      }
      return lost;
    }

    private static boolean mayBeDamaged(FetchFailedException lost) {
      return lost.getCause() instanceof ChecksumException
          || lost.getCause() instanceof ForgedRunException
          || lost.getCause() instanceof TransportException // as of a file that is cut
          || FailureMeaning.ofReading(lost)
              == FailureMeaning.GONE; // the same, where it was read in place
    }

    private void haveChecked(String outputId) {
      for (MergeRun run : runs) {
        if (run instanceof PoolRun pool && pool.outputId().equals(outputId)) {
          progressable.progress();
          try {
            boolean damaged = services.isDamaged(pool.address(), outputId);
            LOG.info("The node of {} finds it {}", run.name(), damaged ? "damaged" : "undamaged");
          } catch (IOException e) {
            LOG.info(
                "The node of {} does not say whether it is damaged: {}",
                run.name(),
                ErrorText.of(e));
          }
          return;
        }
      }
    }

    private FetchFailedException investigate(IOException failure) {
      if (failure instanceof InterruptedIOException || failure instanceof ClosedRunException) {
        return null; // no output's fault
      }
      byte[] buffer = new byte[READ_BYTES];
      for (MergeRun run : runs) {
        try (var input = run.input()) {
          while (input.read(buffer, 0, buffer.length) >= 0) {
            progressable.progress();
          }
        } catch (FetchFailedException e) {
          e.addSuppressed(failure);
          return e;
        } catch (ClosedRunException e) {
          LOG.debug("{} has been merged to its end", run.name());
        } catch (IOException | RuntimeException e) {
          if (e != failure) { // an input that has failed throws the same again
            failure.addSuppressed(e);
          }
        }
      }
      return null;
    }
  }
}
