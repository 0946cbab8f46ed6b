package io.sluice.hadoop.reduce;

import io.sluice.hadoop.entry.FallbackPolicy;
import io.sluice.hadoop.reduce.FetchException.Scope;
import io.sluice.hadoop.reduce.FetchFailures.Kind;
import io.sluice.hadoop.reduce.FetchOutcome.Answered;
import io.sluice.hadoop.reduce.FetchOutcome.Fetched;
import io.sluice.hadoop.reduce.FetchOutcome.Forgotten;
import io.sluice.hadoop.reduce.FetchOutcome.HandlerBusy;
import io.sluice.hadoop.reduce.FetchOutcome.Lost;
import io.sluice.hadoop.reduce.FetchOutcome.ServiceBusy;
import io.sluice.hadoop.reduce.FetchOutcome.Unasked;
import io.sluice.hadoop.reduce.FetchOutcome.Waiting;
import io.sluice.hadoop.reduce.FetchRules.FetchPolicy;
import io.sluice.hadoop.reduce.FetchSchedule.Batch;
import io.sluice.hadoop.reduce.FetchedOutput.LocatedOutput;
import io.sluice.hadoop.reduce.FetchedOutput.StagedOutput;
import io.sluice.hadoop.reduce.PoolRun.PoolRuns;
import io.sluice.hadoop.reduce.ServiceAnswer.State;
import io.sluice.mapreduce.id.TaskNames;
import io.sluice.mapreduce.stage.StageArea;
import io.sluice.node.client.LocatedRuns;
import io.sluice.node.client.NodeBusyException;
import io.sluice.node.client.NodeReader;
import io.sluice.node.remote.PartitionRange;
import io.sluice.node.wire.FailureMeaning;
import io.sluice.node.wire.RemoteError;
import io.sluice.rdma.text.ErrorText;
import io.sluice.rdma.transport.TransportException;
import java.io.IOException;
import java.net.ConnectException;
import java.net.SocketTimeoutException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.apache.hadoop.io.compress.CompressionCodec;
import org.apache.hadoop.mapred.TaskAttemptID;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Visits one node after the other. It asks the node's Sluice service where the outputs lie, and
 * fetches those that the service does not hold from the node's stock ShuffleHandler, unless the job
 * rules that out. It says each outcome to the schedule, which decides what follows.
 *
 * <p>An output that neither server has is lost. An output that one of them may have is asked for
 * again, and fails after a while: {@link FailureMeaning} has the table. Where this reduce is at
 * fault itself, no output is blamed, and the shuffle fails in the end.
 *
 * <p>Thread contract: {@link #run} on a thread of its own, until the schedule has ended. Failure:
 * each output that neither server gives is said to the schedule; anything unexpected fails the
 * shuffle.
 */
final class HostFetcher implements Runnable {
  private static final Logger LOG = LoggerFactory.getLogger(HostFetcher.class);
  private static final long WAIT_MS = 10_000;
  private static final int REFUSALS_BEFORE_STOCK = 3;

  private final FetchSchedule schedule;
  private final FetchLog log;
  private final NodeReader reader;
  private final StockFetch stock;
  private final StageArea stage;
  private final Settings settings;

  HostFetcher(
      FetchSchedule schedule,
      FetchLog log,
      NodeReader reader,
      StockFetch stock,
      StageArea stage,
      Settings settings) {
    this.schedule = schedule;
    this.log = log;
    this.reader = reader;
    this.stock = stock;
    this.stage = stage;
    this.settings = settings;
  }

  /**
   * The same for all fetchers of a reducer.
   *
   * @param reduce the partition
   * @param codec of the job's map outputs, or null
   * @param fallback whether ShuffleHandlers may be asked
   * @param services where Sluice's services listen
   * @param policy how long to try an output that cannot be reached or read
   * @param restartMs how long to wait for a service that does not answer and may have an output
   * @param windowsPerMap windows that each map's runs may fill before the merge
   * @param reaches whether to open a data connection to a node before its outputs count: an earlier
   *     attempt of the reduce may have failed because there was none
   */
  record Settings(
      int reduce,
      CompressionCodec codec,
      FallbackPolicy fallback,
      ServicePorts services,
      FetchPolicy policy,
      long restartMs,
      int windowsPerMap,
      boolean reaches) {
    boolean asksStock() {
      return fallback != FallbackPolicy.NEVER;
    }
  }

  @Override
  public void run() {
    try {
      while (!schedule.isOver()) {
        Batch batch = schedule.take(WAIT_MS);
        if (batch != null) {
          try {
            fetch(batch);
          } finally {
            schedule.release(batch);
          }
        }
      }
    } catch (InterruptedException e) {
      LOG.debug("{} ends", Thread.currentThread().getName());
    } catch (IOException e) {
      schedule.fail(e);
    } catch (RuntimeException | Error e) {
      schedule.fail(new IOException("fetching map outputs failed", e));
    }
  }

  private void fetch(Batch batch) throws IOException {
    Located located;
    try {
      located = locate(batch);
    } catch (NodeBusyException e) {
      comeLater(batch, e);
      return;
    }
    if (located.others().isAbsent()) {
      schedule.apply(batch, Answered.SERVICE);
    }
    PoolRuns runs = new PoolRuns(located.outputs().runs(), settings.codec);
    List<TaskAttemptID> elsewhere = new ArrayList<>();
    boolean prefetch = true;
    for (TaskAttemptID map : batch.maps()) {
      String id = TaskNames.attempt(map);
      Integer output = located.outputs().outputs().get(id);
      String unreadable = located.outputs().unreadable().get(id);
      if (output != null) {
        LocatedOutput taken = new LocatedOutput(runs, output);
        prefetch = prefetch && taken.prefetch(settings.windowsPerMap); // not behind one that failed
        schedule.apply(batch, new Fetched(taken));
      } else if (unreadable != null) {
        schedule.apply(
            batch, new Waiting(List.of(map), Kind.WAITED, settings.restartMs, unreadable));
      } else {
        elsewhere.add(map);
      }
    }
    fetchElsewhere(batch, elsewhere, located.others());
  }

  /**
   * The service is busy and may hold each of these outputs, so none of them is lost. The
   * ShuffleHandler is asked after every few refusals, for the outputs of maps that used stock.
   */
  private void comeLater(Batch batch, NodeBusyException refusal) throws IOException {
    schedule.apply(batch, new ServiceBusy(refusal.getMessage()));
    LOG.info("Coming back to {} later: {}", batch.hostName(), refusal.getMessage());
    if ((batch.refusals() + 1) % REFUSALS_BEFORE_STOCK == 0) {
      fetchElsewhere(batch, batch.maps(), ServiceAnswer.of(State.BUSY));
    } else {
      schedule.apply(batch, new Unasked(batch.maps()));
    }
  }

  /** Where outputs lie, and what the service said of those that are not among them. */
  private record Located(NodeReader.Located outputs, ServiceAnswer others) {
    static Located none(ServiceAnswer others) {
      return new Located(new NodeReader.Located(null, Map.of(), Map.of()), others);
    }

    static Located none(State others) {
      return none(ServiceAnswer.of(others));
    }
  }

  private static List<String> ids(List<TaskAttemptID> maps) {
    return maps.stream().map(TaskNames::attempt).toList();
  }

  private Located locate(Batch batch) throws NodeBusyException {
    if (log.isSilent(batch.hostName())) {
      return Located.none(State.SILENT);
    }
    try {
      NodeReader.Located outputs =
          settings.services.ask(
              batch,
              address ->
                  reader.locateEach(
                      address, PartitionRange.one(settings.reduce), ids(batch.maps())));
      log.accepted();
      return isReached(batch, outputs)
          ? new Located(outputs, ServiceAnswer.of(State.ABSENT))
          : Located.none(State.SILENT);
    } catch (NodeBusyException e) {
      throw e;
    } catch (RemoteError e) {
      if (FailureMeaning.ofAsking(e) == FailureMeaning.GONE) {
        return Located.none(State.ABSENT);
      }
      LOG.warn("Sluice's service at {} refused: {}", batch.hostName(), e.getMessage());
      if (FailureMeaning.ofAsking(e).isOwn() && !log.isAccepted()) {
        return Located.none(ServiceAnswer.unasked(e));
      }
    } catch (IOException e) {
      if (FailureMeaning.ofAsking(e).isOwn()) {
        return Located.none(ServiceAnswer.unasked(e));
      }
      // Not lost: the ShuffleHandler is asked for these outputs now. An output that it does not
      // have either is a failed fetch, and both servers are asked again.
      log.serviceMissing(
          batch.hostName(),
          e,
          settings.asksStock()
              ? "its map outputs are fetched from the stock ShuffleHandler"
              : settings.fallback.refusal("so its map outputs cannot be fetched"));
      if (e instanceof ConnectException) {
        return Located.none(State.MISSING); // that took no time: it is asked each time
      }
      if (e instanceof SocketTimeoutException) {
        log.fellSilent(batch.hostName());
      }
    }
    return Located.none(State.SILENT);
  }

  /** Whether these outputs can be read, as far as this reduce knows. */
  private boolean isReached(Batch batch, NodeReader.Located located) throws IOException {
    LocatedRuns runs = located.runs();
    if (!settings.reaches
        || located.outputs().values().stream().allMatch(output -> runs.isLocalOutput(output))) {
      return true;
    }
    try {
      reader.reach(runs.address());
      return true;
    } catch (TransportException e) {
      if (FailureMeaning.isShort(e)) {
        throw e;
      }
      LOG.warn("No data can be read from {}: {}", batch.hostName(), ErrorText.of(e));
      log.fellSilent(batch.hostName());
      return false;
    }
  }

  private void fetchElsewhere(Batch batch, List<TaskAttemptID> maps, ServiceAnswer service)
      throws IOException {
    if (settings.asksStock()) {
      fetchFromStock(batch, maps, service);
    } else if (!maps.isEmpty()) {
      String refusal = settings.fallback.refusal("its ShuffleHandler is not asked");
      say(batch, service.withoutStock(maps, refusal, settings), refusal);
    }
  }

  /**
   * Asks for all outputs in one request, as stock does. A failure of the node counts for all of
   * them. If one of several cannot be had and the reply does not say which, each is asked for
   * alone, so that no output is blamed for another.
   */
  private void fetchFromStock(Batch batch, List<TaskAttemptID> maps, ServiceAnswer service)
      throws IOException {
    List<TaskAttemptID> left = new ArrayList<>(maps);
    boolean alone = false;
    while (!left.isEmpty() && !schedule.isOver()) {
      List<TaskAttemptID> asked = List.copyOf(alone ? left.subList(0, 1) : left);
      try {
        receive(batch, asked, left);
      } catch (StockFetch.BusyException e) {
        LOG.info("Leaving {} alone: {}", batch.hostName(), e.getMessage());
        schedule.apply(batch, new HandlerBusy(e.retryAfterMs()));
        schedule.apply(batch, new Unasked(List.copyOf(left)));
        return;
      } catch (FetchException e) {
        if (e.scope() == Scope.REQUEST && asked.size() > 1) {
          alone = true;
          continue;
        }
        List<TaskAttemptID> failed =
            List.copyOf(e.scope() == Scope.NODE ? left : left.subList(0, 1));
        left.removeAll(failed);
        if (e.kind() == Kind.READ) { // the others first: it may fail each time
          schedule.apply(batch, new Unasked(List.copyOf(left)));
          left.clear();
        }
        say(batch, service.afterStock(failed, e, settings), e.getMessage());
      }
    }
  }

  /**
   * Takes each output that has come out of {@code left}. If the reply breaks off, the output that
   * was coming is the first of {@code left}.
   */
  private void receive(Batch batch, List<TaskAttemptID> asked, List<TaskAttemptID> left)
      throws IOException {
    try (StockReply reply = ask(batch, asked)) {
      for (int i = 0; i < asked.size() && !schedule.isOver(); i++) {
        TaskAttemptID map = reply.next();
        left.remove(map);
        left.add(0, map);
        schedule.apply(
            batch,
            new Fetched(
                StagedOutput.receive(reply, map, settings.reduce, stage, settings.codec, log)));
        left.remove(0);
      }
    }
  }

  private StockReply ask(Batch batch, List<TaskAttemptID> maps) throws IOException {
    try {
      StockReply reply = stock.ask(batch.url(), maps, settings.reduce);
      schedule.apply(batch, Answered.HANDLER);
      return reply;
    } catch (FetchException e) {
      if (e.isAnswer()) {
        schedule.apply(batch, Answered.HANDLER);
      }
      throw e;
    }
  }

  private void say(Batch batch, FetchOutcome outcome, String cause) throws IOException {
    if (outcome instanceof Lost lost) {
      LOG.warn(
          "{} has neither with Sluice nor with stock the outputs of {}: {}",
          batch.hostName(),
          lost.maps(),
          cause);
    }
    schedule.apply(batch, outcome);
    if (outcome instanceof Lost) {
      askForTheRest(batch);
    }
  }

  /** A node that has lost outputs may have lost those that it delivered, too. */
  private void askForTheRest(Batch batch) throws IOException {
    List<TaskAttemptID> delivered = schedule.remoteOf(batch);
    if (delivered.isEmpty()) {
      return;
    }
    Set<String> absent;
    try {
      absent =
          settings.services.ask(
              batch,
              address ->
                  reader.absent(address, PartitionRange.one(settings.reduce), ids(delivered)));
    } catch (IOException e) {
      LOG.info(
          "{} does not say whether it has lost other outputs: {}",
          batch.hostName(),
          ErrorText.of(e));
      return;
    }
    schedule.apply(
        batch,
        new Forgotten(
            delivered.stream().filter(map -> absent.contains(TaskNames.attempt(map))).toList()));
  }
}
