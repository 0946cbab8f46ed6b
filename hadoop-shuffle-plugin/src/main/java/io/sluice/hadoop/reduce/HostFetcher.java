package io.sluice.hadoop.reduce;

import io.sluice.hadoop.entry.FallbackPolicy;
import io.sluice.hadoop.reduce.FetchException.Scope;
import io.sluice.hadoop.reduce.FetchFailures.Kind;
import io.sluice.hadoop.reduce.FetchSchedule.Batch;
import io.sluice.mapreduce.id.TaskNames;
import io.sluice.mapreduce.merge.RunForm;
import io.sluice.mapreduce.stage.StageArea;
import io.sluice.mapreduce.stage.StageArea.StagedRun;
import io.sluice.node.client.LocatedRuns;
import io.sluice.node.client.NodeBusyException;
import io.sluice.node.client.NodeReader;
import io.sluice.node.remote.PartitionRange;
import io.sluice.node.wire.FailureMeaning;
import io.sluice.node.wire.RemoteError;
import io.sluice.rdma.memory.Closer;
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
 * Fetches from one node after the other: asks its Sluice service where the outputs lie, and gets
 * those that it does not hold from the stock ShuffleHandler of the same node, unless the job rules
 * that out. What neither has is lost; what one of them may have, and does not give now, is asked
 * for again, and has failed only after a while: {@link FailureMeaning} has the table. Where this
 * reduce is at fault itself no output is, and the shuffle fails in the end.
 *
 * <p>Thread contract: {@link #run} on a thread of its own, until the schedule has ended. Failure:
 * an output that neither gives is reported to the schedule, never dropped; anything unexpected
 * fails the shuffle.
 */
final class HostFetcher implements Runnable {
  private static final Logger LOG = LoggerFactory.getLogger(HostFetcher.class);
  private static final long WAIT_MS = 10_000;
  private static final int REFUSALS_BEFORE_STOCK = 3;

  /** Room is made for so much of what a ShuffleHandler announces; the rest must come first. */
  private static final long MAX_EXPECTED_BYTES = 8L << 20;

  private final FetchSchedule schedule;
  private final FetchLog notes;
  private final NodeReader reader;
  private final StockFetch stock;
  private final StageArea stage;
  private final Settings settings;

  HostFetcher(
      FetchSchedule schedule,
      FetchLog notes,
      NodeReader reader,
      StockFetch stock,
      StageArea stage,
      Settings settings) {
    this.schedule = schedule;
    this.notes = notes;
    this.reader = reader;
    this.stock = stock;
    this.stage = stage;
    this.settings = settings;
  }

  /**
   * What all fetchers of a reducer have in common.
   *
   * @param reduce the partition
   * @param codec of the job's map outputs, or null
   * @param fallback whether ShuffleHandlers may be asked
   * @param services where Sluice's services listen
   * @param policy how long to try what cannot be reached or read
   * @param restartMs how long to wait for a service that does not answer and may have an output
   * @param windowsPerMap of remote runs that are fetched ahead
   * @param reaches whether a node's outputs count only after a data connection to it has come
   *     about: where an earlier attempt of the reduce may have failed for want of one
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
    if (located.others() == Service.ABSENT) {
      schedule.accepted(batch);
    }
    PoolRuns runs = new PoolRuns(located.outputs().runs(), settings.codec);
    List<TaskAttemptID> elsewhere = new ArrayList<>();
    boolean prefetch = true;
    for (TaskAttemptID map : batch.maps()) {
      String id = TaskNames.attempt(map);
      Integer output = located.outputs().outputs().get(id);
      String unreadable = located.outputs().unreadable().get(id);
      if (output != null) {
        prefetch = took(batch, new LocatedOutput(runs, output), prefetch);
      } else if (unreadable != null) {
        later(batch, List.of(map), Kind.WAITED, settings.restartMs, unreadable);
      } else {
        elsewhere.add(map);
      }
    }
    fetchElsewhere(batch, elsewhere, located);
  }

  /** Nobody's failure as long as this goes on for no longer than {@code patienceMs}. */
  private void later(
      Batch batch, List<TaskAttemptID> maps, Kind kind, long patienceMs, String cause) {
    List<TaskAttemptID> failed = schedule.later(batch, maps, kind, patienceMs);
    if (failed.size() < maps.size()) {
      LOG.info("Asking {} again later for the outputs of {}: {}", batch.hostName(), maps, cause);
    }
    if (!failed.isEmpty()) {
      failed(batch, failed, kind, cause);
    }
  }

  /**
   * The service lives and may hold every one of these outputs; only stock's may lie at the
   * ShuffleHandler, which is asked once the service has refused for a while. What is not there
   * either is no more lost than before.
   */
  private void comeLater(Batch batch, NodeBusyException refusal) throws IOException {
    int refusals = schedule.refused(batch, refusal.getMessage());
    LOG.info("Coming back to {} later: {}", batch.hostName(), refusal.getMessage());
    if (refusals % REFUSALS_BEFORE_STOCK == 0) {
      fetchElsewhere(batch, batch.maps(), Located.none(Service.BUSY));
    } else {
      schedule.putBack(batch, batch.maps());
    }
  }

  /** What the service of a node said of outputs that it did not locate. */
  private enum Service {
    /** That it does not hold them. */
    ABSENT,
    /** To come later: it may hold them. */
    BUSY,
    /** Nothing, because nobody listens there. */
    MISSING,
    /** Nothing, or nothing that can be believed. */
    SILENT,
    /** Nothing, for which this reduce is at fault. */
    UNASKED
  }

  /**
   * Where outputs lie.
   *
   * @param others what became of those that are not among them
   * @param own why the service could not be asked, where that is this reduce's fault; else null
   */
  private record Located(NodeReader.Located outputs, Service others, IOException own) {
    static Located none(Service others) {
      return new Located(new NodeReader.Located(null, Map.of(), Map.of()), others, null);
    }

    static Located unasked(IOException own) {
      return new Located(new NodeReader.Located(null, Map.of(), Map.of()), Service.UNASKED, own);
    }
  }

  private static List<String> ids(List<TaskAttemptID> maps) {
    return maps.stream().map(TaskNames::attempt).toList();
  }

  private Located locate(Batch batch) throws NodeBusyException {
    if (notes.isSilent(batch.hostName())) {
      return Located.none(Service.SILENT);
    }
    try {
      NodeReader.Located outputs =
          settings.services.ask(
              batch,
              address ->
                  reader.locateEach(
                      address, PartitionRange.one(settings.reduce), ids(batch.maps())));
      notes.accepted();
      return isReached(batch, outputs)
          ? new Located(outputs, Service.ABSENT, null)
          : Located.none(Service.SILENT);
    } catch (NodeBusyException e) {
      throw e;
    } catch (RemoteError e) {
      if (FailureMeaning.ofAsking(e) == FailureMeaning.GONE) {
        return Located.none(Service.ABSENT);
      }
      LOG.warn("Sluice's service at {} refused: {}", batch.hostName(), e.getMessage());
      if (FailureMeaning.ofAsking(e).isOwn() && !notes.isAccepted()) {
        return Located.unasked(e);
      }
    } catch (IOException e) {
      if (FailureMeaning.ofAsking(e).isOwn()) {
        return Located.unasked(e);
      }
      // Not lost: each of these outputs is now asked for at the stock ShuffleHandler, and what that
      // does not have either is a fetch failure, tried again at both.
      notes.serviceMissing(
          batch.hostName(),
          e,
          settings.asksStock()
              ? "its map outputs are fetched from the stock ShuffleHandler"
              : settings.fallback.refusal("so its map outputs cannot be fetched"));
      if (e instanceof ConnectException) {
        return Located.none(Service.MISSING); // that took no time: it is asked each time
      }
      if (e instanceof SocketTimeoutException) {
        notes.fellSilent(batch.hostName());
      }
    }
    return Located.none(Service.SILENT);
  }

  /** Whether these outputs can be read as far as is known. */
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
      notes.fellSilent(batch.hostName());
      return false;
    }
  }

  /** Returns whether to prefetch what is taken next: behind a read that failed it would too. */
  private boolean took(Batch batch, LocatedOutput output, boolean prefetch) throws IOException {
    boolean reads = prefetch && output.prefetch(settings.windowsPerMap);
    keep(batch, output);
    return reads;
  }

  private void keep(Batch batch, FetchedOutput output) throws IOException {
    if (!schedule.succeeded(batch, output)) {
      output.close();
    }
  }

  private void fetchElsewhere(Batch batch, List<TaskAttemptID> maps, Located located)
      throws IOException {
    if (settings.asksStock()) {
      fetchFromStock(batch, maps, located);
    } else if (!maps.isEmpty()) {
      String refusal = settings.fallback.refusal("its ShuffleHandler is not asked");
      switch (located.others()) {
        case UNASKED -> laterOrNever(batch, maps, located.own());
        case BUSY -> schedule.putBack(batch, maps);
        case ABSENT -> lost(batch, maps, refusal);
        case MISSING, SILENT -> later(batch, maps, Kind.WAITED, settings.restartMs, refusal);
      }
    }
  }

  /**
   * As stock: in one request, and what concerns the node counts for all of them, and they wait for
   * its penalty. Where one of several cannot be had and nobody says which, each is asked for alone,
   * so that none is blamed for another.
   */
  private void fetchFromStock(Batch batch, List<TaskAttemptID> maps, Located located)
      throws IOException {
    Service service = located.others();
    List<TaskAttemptID> left = new ArrayList<>(maps);
    boolean alone = false;
    while (!left.isEmpty() && !schedule.isOver()) {
      List<TaskAttemptID> asked = List.copyOf(alone ? left.subList(0, 1) : left);
      try {
        receive(batch, asked, left);
      } catch (StockFetch.BusyException e) {
        LOG.info("Leaving {} alone: {}", batch.hostName(), e.getMessage());
        schedule.backOff(batch, e.retryAfterMs());
        schedule.putBack(batch, left);
        return;
      } catch (FetchException e) {
        if (e.scope() == Scope.REQUEST && asked.size() > 1) {
          alone = true;
          continue;
        }
        List<TaskAttemptID> failed =
            List.copyOf(e.scope() == Scope.NODE ? left : left.subList(0, 1));
        left.removeAll(failed);
        if (e.isAbsent() && service == Service.ABSENT) {
          lost(batch, failed, e.getMessage());
          continue;
        }
        if (e.kind() == Kind.READ) { // the others first: it may fail each time
          schedule.putBack(batch, left);
          left.clear();
        }
        if (service == Service.BUSY) {
          schedule.putBack(batch, failed); // the service may hold them
        } else if (service == Service.UNASKED && e.kind() != Kind.READ) {
          laterOrNever(batch, failed, located.own());
        } else if (e.getCause() instanceof IOException cause && FailureMeaning.isShort(cause)) {
          laterOrNever(batch, failed, e);
        } else {
          waitFor(batch, failed, e, service);
        }
      }
    }
  }

  /** Takes out of {@code left} what has come; what was coming when it fails is its first. */
  private void receive(Batch batch, List<TaskAttemptID> asked, List<TaskAttemptID> left)
      throws IOException {
    try (StockReply reply = ask(batch, asked)) {
      for (int i = 0; i < asked.size() && !schedule.isOver(); i++) {
        TaskAttemptID map = reply.next();
        left.remove(map);
        left.add(0, map);
        keep(batch, new StagedOutput(map, staged(map, reply)));
        left.remove(0);
      }
    }
  }

  private StockReply ask(Batch batch, List<TaskAttemptID> maps) throws IOException {
    try {
      StockReply reply = stock.ask(batch.url(), maps, settings.reduce);
      schedule.answered(batch);
      return reply;
    } catch (FetchException e) {
      if (e.isAnswer()) {
        schedule.answered(batch);
      }
      throw e;
    }
  }

  /**
   * For as long as stock's Fetcher does for what keeps it from an output. Where the output may be
   * with Sluice's service, which does not answer, that is waited for.
   */
  private void waitFor(
      Batch batch, List<TaskAttemptID> maps, FetchException failure, Service service) {
    Kind kind = failure.kind();
    long patienceMs =
        switch (kind) {
          case CONNECT, UNREACHED ->
              Math.max(settings.policy.connectMs(), settings.restartMs); // its node may restart
          case READ -> settings.policy.retryMs();
          case REFUSED, WAITED, OWN -> 0;
        };
    if (service != Service.ABSENT && kind != Kind.READ) {
      patienceMs = Math.max(patienceMs, settings.restartMs);
      kind = kind == Kind.REFUSED ? Kind.WAITED : kind;
    }
    later(batch, maps, kind, patienceMs, failure.getMessage());
  }

  /**
   * What this reduce is at fault for itself, as far as is known: no map is blamed for it, but the
   * shuffle fails if it goes on. Another node that accepts this reduce meanwhile shows that a
   * refusal is the fault of its node.
   */
  private void laterOrNever(Batch batch, List<TaskAttemptID> maps, IOException own)
      throws IOException {
    List<TaskAttemptID> never = schedule.later(batch, maps, Kind.OWN, settings.restartMs);
    if (!never.isEmpty()) {
      throw new IOException(
          "this reduce cannot fetch the outputs of "
              + never
              + " from "
              + batch.hostName()
              + ", for which no map is at fault: "
              + ErrorText.of(own),
          own);
    }
  }

  private FetchedRun staged(TaskAttemptID map, StockReply reply) throws IOException {
    StagedRun staged = stage.create(map + " partition " + settings.reduce + " from stock");
    try {
      long travelledBytes = reply.copyTo(new Staging(staged));
      staged.finish();
      FetchedRun run =
          new FetchedRun(
              staged.name(), staged.lengthBytes(), RunForm.of(settings.codec, 0), staged.open());
      notes.fetchedFromStock(travelledBytes);
      return run;
    } catch (IOException | RuntimeException | Error e) {
      Closer.after(e, staged);
      throw e;
    }
  }

  /** Puts what stock sends where the merge will read it. */
  private record Staging(StagedRun staged) implements StockReply.Sink {
    @Override
    public void begin(long storedBytes, long rawLengthBytes) throws IOException {
      staged.expect(Math.min(storedBytes, MAX_EXPECTED_BYTES));
    }

    @Override
    public void write(byte[] bytes, int offset, int length) throws IOException {
      staged.write(bytes, offset, length);
    }
  }

  /**
   * All of a node's servers that were asked have said that they do not have these outputs. It may
   * have lost those that it delivered as well, which the merge would be the next to find.
   */
  private void lost(Batch batch, List<TaskAttemptID> maps, String cause) {
    LOG.warn(
        "{} has neither with Sluice nor with stock the outputs of {}: {}",
        batch.hostName(),
        maps,
        cause);
    maps.forEach(map -> schedule.lost(batch, map));
    List<TaskAttemptID> delivered = schedule.remoteOf(batch);
    if (delivered.isEmpty()) {
      return;
    }
    try {
      Set<String> absent =
          settings.services.ask(
              batch,
              address ->
                  reader.absent(address, PartitionRange.one(settings.reduce), ids(delivered)));
      schedule.askAgain(
          batch,
          delivered.stream().filter(map -> absent.contains(TaskNames.attempt(map))).toList());
    } catch (IOException e) {
      LOG.info("{} does not say what else it has lost: {}", batch.hostName(), ErrorText.of(e));
    }
  }

  private void failed(Batch batch, List<TaskAttemptID> maps, Kind kind, String cause) {
    LOG.warn(
        "Outputs of {} can be had neither from Sluice nor from stock at {}: {}",
        maps,
        batch.hostName(),
        cause);
    maps.forEach(map -> schedule.failed(batch, map, kind));
  }
}
