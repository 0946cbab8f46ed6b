package io.sluice.hadoop.reduce;

import io.sluice.hadoop.reduce.FetchFailures.Kind;
import io.sluice.hadoop.reduce.FetchFailures.Verdict;
import io.sluice.hadoop.reduce.FetchHost.FetchHosts;
import io.sluice.hadoop.reduce.FetchRules.FetchPolicy;
import io.sluice.mapreduce.reduce.MergeRun;
import io.sluice.rdma.memory.Closer;
import io.sluice.rdma.text.ErrorText;
import java.io.Closeable;
import java.io.IOException;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;
import java.util.random.RandomGenerator;
import org.apache.hadoop.mapred.TaskAttemptID;
import org.apache.hadoop.mapred.TaskCompletionEvent;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Says which host a fetcher visits next and for which map outputs, and applies what the visit
 * brought: the policy of stock's {@code ShuffleSchedulerImpl}.
 *
 * <p>It puts the accounts together, and guards them: {@link NeededOutputs} knows what is needed,
 * {@link FetchHost} where it is and when to ask for it, {@link FetchFailures} what has failed;
 * {@link FetchRules} has the figures.
 *
 * <p>Thread contract: safe from any thread; the callbacks run under its lock and must not wait. No
 * run is closed under it, since that may wait for reads. Ownership: owns every output that {@link
 * #apply} took, until {@link #takeAll} or {@link #takeWithdrawn} hands them over; the rest ends
 * with {@link #close}. Failure: {@link #throwIfFailed} throws what made the attempt hopeless.
 */
final class FetchSchedule implements Closeable {
  private static final Logger LOG = LoggerFactory.getLogger(FetchSchedule.class);

  /** A host that refuses for so long fails this attempt, and blames no map for it. */
  private static final long MAX_REFUSED_MS = 600_000;

  private final Listener listener;
  private final LongSupplier nanoClock;
  private final FetchPolicy policy;
  private final NeededOutputs needed;
  private final FetchFailures failures;
  private final FetchHosts hosts = new FetchHosts();
  private final RandomGenerator random;
  private IOException failure;
  private boolean ended;

  /** The schedule tells its owner. */
  interface Listener {
    /** The ApplicationMaster must hear that this output cannot be fetched. */
    void reportFetchFailure(TaskAttemptID map);

    /** One more fetch has failed. */
    void fetchFailed();

    /** So many maps of all are shuffled. */
    void progress(int doneMaps, int totalMaps);
  }

  /**
   * Needs the outputs of all maps.
   *
   * @param random chooses among hosts and spreads delays
   */
  FetchSchedule(
      int totalMaps,
      FetchPolicy policy,
      Listener listener,
      LongSupplier nanoClock,
      RandomGenerator random) {
    this.listener = listener;
    this.nanoClock = nanoClock;
    this.random = random;
    this.policy = policy;
    this.needed = new NeededOutputs(totalMaps);
    this.failures = new FetchFailures(policy, totalMaps, nanoClock.getAsLong());
  }

  /**
   * One visit of a host, at which no other fetcher is until {@link #release}.
   *
   * @param maps to fetch there
   * @param refusals of the host's service in a row, before this visit
   */
  record Batch(String hostName, String url, List<TaskAttemptID> maps, int refusals) {}

  /** Takes in one completion event, as the ApplicationMaster sent it. */
  synchronized void resolve(TaskCompletionEvent event) {
    if (ended) {
      return; // the merge may own the outputs already: nothing can be taken back from it
    }
    TaskAttemptID attempt = event.getTaskAttemptId();
    switch (event.getTaskStatus()) {
      case SUCCEEDED -> {
        hosts.at(event.getTaskTrackerHttp()).know(attempt, needed);
        failures.mapRan(event.getTaskRunTime());
        notifyAll();
      }
      case FAILED, KILLED, OBSOLETE -> withdrawn(attempt, event.getTaskStatus());
      case TIPFAILED -> {
        if (needed.addFailedMap(attempt.getTaskID().getId())) {
          mapDone();
        }
        LOG.info("Ignoring output of failed map {}", attempt.getTaskID());
      }
      default -> throw new IllegalStateException("unknown status of " + event);
    }
  }

  private void withdrawn(TaskAttemptID attempt, TaskCompletionEvent.Status status) {
    hosts.forget(attempt);
    if (needed.withdraw(attempt)) {
      LOG.info("Map output {} was withdrawn before its merge; awaiting its successor", attempt);
      hosts.needAgain(attempt);
    } else {
      LOG.info("Ignoring obsolete output of {} map {}", status, attempt);
    }
    notifyAll(); // others may be reported now
  }

  /**
   * Takes a host that has needed outputs, or null when the shuffle is over or {@code waitMs} passed
   * without one.
   */
  synchronized Batch take(long waitMs) throws InterruptedException {
    long deadlineNs = nanoClock.getAsLong() + TimeUnit.MILLISECONDS.toNanos(waitMs);
    while (!isOver()) {
      long nowNs = nanoClock.getAsLong();
      FetchHosts.Ready ready = hosts.ready(needed, nowNs, deadlineNs);
      if (!ready.hosts().isEmpty()) {
        // Any of them, so that not all reducers of a job begin with the same node.
        return ready.hosts().get(random.nextInt(ready.hosts().size())).take(needed);
      }
      if (deadlineNs - nowNs <= 0) {
        return null;
      }
      wait(Math.max(1, TimeUnit.NANOSECONDS.toMillis(ready.nextNs() - nowNs)));
    }
    return null;
  }

  /** Whether this output is still wanted: its attempt stands and no other one has delivered. */
  synchronized boolean wants(TaskAttemptID map) {
    return needed.wants(map);
  }

  /** Applies one thing that a fetcher found out in its visit. */
  void apply(Batch batch, FetchOutcome outcome) throws IOException {
    // Neither a disk that hangs under an output nor one under the log may stop the schedule.
    if (outcome instanceof FetchOutcome.Fetched fetched) {
      if (!succeeded(batch, fetched.output())) {
        fetched.output().close();
      }
    } else if (outcome instanceof FetchOutcome.Waiting waiting) {
      List<TaskAttemptID> failed =
          later(batch, waiting.maps(), waiting.kind(), waiting.patienceMs());
      waiting.log(batch.hostName(), failed);
      failed.forEach(map -> failed(batch, map, waiting.kind()));
    } else {
      applyUnderLock(batch, outcome);
    }
  }

  private synchronized void applyUnderLock(Batch batch, FetchOutcome outcome) {
    FetchHost host = hosts.of(batch);
    if (outcome instanceof FetchOutcome.Unable unable) {
      List<TaskAttemptID> never = later(batch, unable.maps(), Kind.OWN, unable.patienceMs());
      if (!never.isEmpty()) {
        fail(unable.failure(host.name(), never));
      }
    } else if (outcome instanceof FetchOutcome.Lost lost) {
      lost.maps().forEach(map -> lost(host, map));
    } else if (outcome instanceof FetchOutcome.Forgotten forgotten) {
      forgotten.maps().forEach(map -> askAgain(host, map));
    } else if (outcome instanceof FetchOutcome.Unasked unasked) {
      unasked.maps().forEach(map -> host.know(map, needed));
    } else if (outcome instanceof FetchOutcome.ServiceBusy busy) {
      refused(host, batch, busy.reason());
    } else if (outcome instanceof FetchOutcome.HandlerBusy busy) {
      host.clocks().comeLater(batch.maps());
      host.leaveAlone(
          nanoClock.getAsLong(),
          Math.min(busy.delayMs(), policy.maxPenaltyMs())); // as after a failure
    } else if (outcome == FetchOutcome.Answered.SERVICE) {
      host.accepted();
    } else {
      host.clocks().answered();
    }
  }

  /**
   * Keeps an output if it is wanted.
   *
   * @return false if it is not (any more): it stays the caller's
   */
  synchronized boolean succeeded(Batch batch, FetchedOutput output) {
    TaskAttemptID map = output.map();
    FetchHost host = hosts.of(batch);
    failures.forget(map, host.name());
    if (ended || !wants(map)) {
      host.know(map, needed);
      return false;
    }
    needed.add(output, host);
    host.delivered(map);
    failures.progressed(nanoClock.getAsLong());
    mapDone();
    return true;
  }

  private void mapDone() {
    listener.progress(needed.doneMaps(), needed.totalMaps());
    notifyAll();
  }

  /**
   * These outputs cannot be had now, and are asked for again after a pause. {@link FailureClocks}
   * times the troubles.
   *
   * @return those for which it has gone on for {@code patienceMs} or more: they have failed
   */
  synchronized List<TaskAttemptID> later(
      Batch batch, List<TaskAttemptID> maps, Kind kind, long patienceMs) {
    FetchHost host = hosts.of(batch);
    List<TaskAttemptID> wanted = maps.stream().filter(map -> !ended && wants(map)).toList();
    maps.stream().filter(map -> !wanted.contains(map)).forEach(map -> host.know(map, needed));
    return host.askLater(wanted, kind, patienceMs, nanoClock.getAsLong(), policy, random);
  }

  /** An output could not be had; it is tried again after the host's penalty. */
  synchronized void failed(Batch batch, TaskAttemptID map, Kind kind) {
    FetchHost host = hosts.of(batch);
    host.know(map, needed);
    if (ended || !wants(map)) {
      return;
    }
    if (host.failsFirst()) {
      failures.hostFailed(host.name());
    }
    Verdict verdict =
        failures.failed(map, host.name(), kind, needed.doneMaps(), nanoClock.getAsLong());
    if (verdict.report()) {
      LOG.info("Reporting fetch failure for {} to the ApplicationMaster", map);
    }
    tell(map, verdict);
    host.leaveAlone(nanoClock.getAsLong(), verdict.penaltyMs());
  }

  /**
   * Reports the loss, if not too many reports of this host await their answer. The output is asked
   * for again later, in case nobody runs its map again.
   */
  private void lost(FetchHost host, TaskAttemptID map) {
    if (ended || !wants(map)) {
      host.know(map, needed);
      return;
    }
    long nowNs = nanoClock.getAsLong();
    host.clocks().over(map);
    if (!host.losses().mayReport(nowNs)) {
      host.losses().defer(map);
      return;
    }
    Verdict verdict = failures.lost(map);
    host.losses().reported(map, nowNs + TimeUnit.MILLISECONDS.toNanos(verdict.penaltyMs()));
    LOG.info("{} has lost the output of {}; reporting that it must be run again", host.name(), map);
    tell(map, verdict);
  }

  private void tell(TaskAttemptID map, Verdict verdict) {
    listener.fetchFailed();
    if (verdict.report()) {
      listener.reportFetchFailure(map);
    }
    verdict.hopeless().ifPresent(reason -> fail(new IOException(reason)));
  }

  private void askAgain(FetchHost host, TaskAttemptID map) {
    if (!ended && needed.giveUp(map)) {
      hosts.needAgain(map);
      host.know(map, needed);
      notifyAll();
    }
  }

  /** The host is left alone for longer each time; nothing has failed, unless it never ends. */
  private void refused(FetchHost host, Batch batch, String reason) {
    batch.maps().forEach(host.clocks()::over);
    long refusedMs = TimeUnit.NANOSECONDS.toMillis(host.refused(nanoClock.getAsLong()));
    if (refusedMs > MAX_REFUSED_MS) {
      fail(
          new IOException(
              "the Sluice service at %s has been busy for %s ms: %s"
                  .formatted(host.name(), refusedMs, reason)));
    }
    host.leaveAlone(nanoClock.getAsLong(), FetchRules.refusalMs(batch.refusals(), random));
  }

  /** The outputs that the batch's host has delivered and that are not all on this node. */
  synchronized List<TaskAttemptID> remoteOf(Batch batch) {
    return needed.remoteOf(hosts.of(batch));
  }

  /** The batch's host may be taken again. */
  synchronized void release(Batch batch) {
    hosts.of(batch).release();
    notifyAll();
  }

  /** Ends the shuffle with an error; the first one counts. */
  synchronized void fail(IOException cause) {
    if (failure == null) {
      failure = cause;
    }
    notifyAll();
  }

  /**
   * Waits until every map is shuffled; false when {@code waitMs} passed before that. With true the
   * schedule has ended, so that no withdrawal comes between the last output and the merge.
   */
  synchronized boolean awaitDone(long waitMs) throws InterruptedException {
    if (remainingMaps() > 0 && failure == null) {
      wait(waitMs);
    }
    if (remainingMaps() > 0 || failure != null) {
      return false;
    }
    end();
    return true;
  }

  /** Throws what {@link #fail} was told, if anything. */
  synchronized void throwIfFailed() throws IOException {
    if (failure != null) {
      throw new IOException("error in shuffle: " + ErrorText.of(failure), failure);
    }
  }

  /** Whether there is nothing left to take, because all is done, failed or ended. */
  synchronized boolean isOver() {
    return ended || failure != null;
  }

  /** Ends all waiting in {@link #take}; no output is kept any more. */
  synchronized void end() {
    ended = true;
    notifyAll();
  }

  /** How many maps are not shuffled yet. */
  synchronized int remainingMaps() {
    return needed.remainingMaps();
  }

  /** Names each attempt whose output it holds; those of failed tasks are not among them. */
  synchronized List<TaskAttemptID> shuffled() {
    return needed.held().map(FetchedOutput::map).toList();
  }

  /** How many outputs it holds. */
  synchronized int shuffledMaps() {
    return (int) needed.held().count();
  }

  /** Outputs that were given up; the caller owns and closes them. */
  synchronized List<FetchedOutput> takeWithdrawn() {
    return needed.takeWithdrawn();
  }

  /**
   * Hands over the runs of all maps, in the order of the maps; the caller owns them from now on.
   *
   * @throws IllegalStateException before {@link #awaitDone} was true: records would be lost
   */
  synchronized List<MergeRun> takeAll() {
    if (!ended || remainingMaps() > 0) {
      throw new IllegalStateException(
          remainingMaps()
              + " of "
              + needed.totalMaps()
              + " maps are not shuffled; the reduce must run again");
    }
    return needed.takeRuns();
  }

  /** Ends, and closes what was not handed over, also when closing one run fails. */
  @Override
  public void close() throws IOException {
    List<FetchedOutput> closing;
    synchronized (this) {
      end();
      closing = needed.takeAll();
    }
    Closer.all(closing);
  }
}
