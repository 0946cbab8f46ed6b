package io.sluice.hadoop.reduce;

import io.sluice.hadoop.reduce.FetchFailures.Kind;
import io.sluice.hadoop.reduce.FetchFailures.Verdict;
import io.sluice.mapreduce.reduce.MergeRun;
import io.sluice.rdma.memory.Closer;
import io.sluice.rdma.text.ErrorText;
import java.io.Closeable;
import java.io.IOException;
import java.net.URI;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;
import java.util.random.RandomGenerator;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.apache.hadoop.mapred.TaskAttemptID;
import org.apache.hadoop.mapred.TaskCompletionEvent;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Which map outputs a reducer still needs, where they are, which it has, and which nodes it must
 * leave alone for a while: the policy of stock's {@code ShuffleSchedulerImpl}.
 *
 * <p>It differs where Sluice does: a map output counts as shuffled once it is <i>located</i>, its
 * bytes being read while they are merged. So when its attempt is withdrawn before the merge begins
 * and the bytes are not all on this node, the output is forgotten and its successor awaited, where
 * stock would keep its own copy. An attempt that is not needed is therefore remembered until it is
 * withdrawn itself.
 *
 * <p>Thread contract: safe from any thread; the callbacks run under its lock and must not wait. No
 * run is closed under it, since that may wait for reads. Ownership: owns every output that {@link
 * #succeeded} took, until {@link #takeAll} or {@link #takeWithdrawn} hands them over; the rest ends
 * with {@link #close}. Failure: {@link #throwIfFailed} throws what made the attempt hopeless.
 */
final class FetchSchedule implements Closeable {
  private static final Logger LOG = LoggerFactory.getLogger(FetchSchedule.class);

  private static final long FIRST_REFUSAL_MS = 500;
  private static final long LONGEST_REFUSAL_MS = 30_000;
  private static final int MAX_DOUBLINGS = 10;
  private static final long SHORTEST_PAUSE_MS = 500;
  private static final long LONGEST_PAUSE_MS = 10_000;

  /** A host that refuses for so long fails this attempt, and blames no map for it. */
  private static final long MAX_REFUSED_MS = 600_000;

  private final Listener listener;
  private final LongSupplier nanoClock;
  private final int totalMaps;
  private final FetchPolicy policy;
  private final FetchFailures failures;
  private FetchedOutput[] outputs; // by map; of none once they are handed over
  private Host[] deliveredBy; // as outputs
  private final boolean[] done;
  private final Map<String, Host> hosts = new LinkedHashMap<>();
  private final Set<TaskAttemptID> obsolete = new HashSet<>();
  private final List<FetchedOutput> withdrawn = new ArrayList<>();
  private final RandomGenerator random;
  private int remaining;
  private IOException failure;
  private boolean ended;

  /** What the schedule tells its owner. */
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
    this.totalMaps = totalMaps;
    this.listener = listener;
    this.nanoClock = nanoClock;
    this.random = random;
    this.policy = policy;
    this.failures = new FetchFailures(policy, totalMaps, nanoClock.getAsLong());
    this.outputs = new FetchedOutput[totalMaps];
    this.deliveredBy = new Host[totalMaps];
    this.done = new boolean[totalMaps];
    this.remaining = totalMaps;
  }

  /** A NodeManager, by the address of its stock ShuffleHandler. */
  private static final class Host {
    final String name;
    final String url;
    Set<TaskAttemptID> known = new LinkedHashSet<>();

    /** Outputs that were reported as lost, and when to ask for each again. */
    final Map<TaskAttemptID, Long> lostUntilNs = new HashMap<>();

    /** Lost outputs that are reported when fewer others are; they are asked for again then. */
    final Set<TaskAttemptID> unreported = new LinkedHashSet<>();

    /** Outputs that could not be had, and when to ask for each again. */
    final Map<TaskAttemptID, Long> laterNs = new HashMap<>();

    /** Since when what could not be had is waited for. */
    final FailureClocks clocks = new FailureClocks();

    boolean busy;
    boolean failedInBatch;
    boolean penalized;
    int refusals;
    long refusedSinceNs;
    long penalizedUntilNs;

    Host(String name, String url) {
      this.name = name;
      this.url = url;
    }

    /**
     * Whether fewer lost outputs were reported lately, and not answered, than stock would ask for.
     */
    boolean mayReport(long nowNs) {
      return lostUntilNs.values().stream().filter(untilNs -> untilNs - nowNs > 0).count()
          < FetchLimits.MAX_MAPS_AT_ONCE;
    }
  }

  /** Maps to fetch from one host, which nobody else fetches from until {@link #release}. */
  record Batch(String hostName, String url, List<TaskAttemptID> maps) {}

  /** Takes in one completion event, as the ApplicationMaster sent it. */
  synchronized void resolve(TaskCompletionEvent event) {
    if (ended) {
      return; // the merge may own the outputs already: nothing can be taken back from it
    }
    TaskAttemptID attempt = event.getTaskAttemptId();
    switch (event.getTaskStatus()) {
      case SUCCEEDED -> located(attempt, event.getTaskTrackerHttp(), event.getTaskRunTime());
      case FAILED, KILLED, OBSOLETE -> withdrawn(attempt, event.getTaskStatus());
      case TIPFAILED -> {
        int index = attempt.getTaskID().getId();
        if (!done[index]) {
          done[index] = true;
          mapDone();
        }
        LOG.info("Ignoring output of failed map {}", attempt.getTaskID());
      }
      default -> throw new IllegalStateException("unknown status of " + event);
    }
  }

  private void located(TaskAttemptID attempt, String url, int runtimeMs) {
    // Not by its host: URI has none for names with an underscore, and all of them would be one.
    String name = URI.create(url).getRawAuthority();
    putBack(hosts.computeIfAbsent(name, n -> new Host(n, url)), attempt);
    failures.mapRan(runtimeMs);
    notifyAll();
  }

  private void withdrawn(TaskAttemptID attempt, TaskCompletionEvent.Status status) {
    obsolete.add(attempt);
    for (Host host : hosts.values()) {
      host.lostUntilNs.remove(attempt);
      host.unreported.remove(attempt);
      host.laterNs.remove(attempt);
      host.clocks.over(attempt);
    }
    notifyAll(); // others may be reported now
    int index = attempt.getTaskID().getId();
    if (isLocated(attempt) && !outputs[index].isResident()) {
      LOG.info("Map output {} was withdrawn before its merge; awaiting its successor", attempt);
      undo(index);
    } else {
      LOG.info("Ignoring obsolete output of {} map {}", status, attempt);
    }
  }

  private boolean isLocated(TaskAttemptID attempt) {
    FetchedOutput output = outputs[attempt.getTaskID().getId()];
    return output != null && output.map().equals(attempt);
  }

  private void undo(int index) {
    withdrawn.add(outputs[index]);
    outputs[index] = null;
    deliveredBy[index] = null;
    done[index] = false;
    remaining++;
    hosts.values().forEach(host -> host.clocks.overForMap(index));
    notifyAll();
  }

  /**
   * Takes a host that has needed outputs, or null when the shuffle is over or {@code waitMs} passed
   * without one.
   */
  synchronized Batch take(long waitMs) throws InterruptedException {
    long deadlineNs = nanoClock.getAsLong() + TimeUnit.MILLISECONDS.toNanos(waitMs);
    while (!isOver()) {
      long nowNs = nanoClock.getAsLong();
      long wakeNs = deadlineNs;
      List<Host> ready = new ArrayList<>();
      for (Host host : hosts.values()) {
        wakeNs = knowAgain(host, host.lostUntilNs, nowNs, wakeNs);
        if (host.mayReport(nowNs)) { // behind those that were: the ApplicationMaster counts
          host.known.addAll(host.unreported);
          host.unreported.clear();
        }
        wakeNs = knowAgain(host, host.laterNs, nowNs, wakeNs);
        if (host.busy || !isNeeded(host)) {
          continue;
        }
        if (host.penalized && host.penalizedUntilNs - nowNs > 0) {
          wakeNs = Math.min(wakeNs, host.penalizedUntilNs);
        } else {
          ready.add(host);
        }
      }
      if (!ready.isEmpty()) {
        // Any of them, so that not all reducers of a job begin with the same node.
        return batch(ready.get(random.nextInt(ready.size())));
      }
      if (deadlineNs - nowNs <= 0) {
        return null;
      }
      wait(Math.max(1, TimeUnit.NANOSECONDS.toMillis(wakeNs - nowNs)));
    }
    return null;
  }

  /** What has waited is asked for again; returns when the next one is, if before {@code wakeNs}. */
  private static long knowAgain(
      Host host, Map<TaskAttemptID, Long> untilNs, long nowNs, long wakeNs) {
    long nextNs = wakeNs;
    for (var waiting = untilNs.entrySet().iterator(); waiting.hasNext(); ) {
      Map.Entry<TaskAttemptID, Long> entry = waiting.next();
      if (entry.getValue() - nowNs <= 0) {
        host.known.add(entry.getKey());
        waiting.remove();
      } else {
        nextNs = Math.min(nextNs, entry.getValue());
      }
    }
    return nextNs;
  }

  private boolean isNeeded(Host host) {
    for (TaskAttemptID map : host.known) {
      if (wants(map)) {
        return true;
      }
    }
    return false;
  }

  private Batch batch(Host host) {
    host.known.removeAll(obsolete);
    Stream<TaskAttemptID> wanted = host.known.stream().filter(this::wants);
    if (host.clocks.isAnyRunning()) { // else each visit of a silent host is for other outputs
      wanted = wanted.sorted(Comparator.comparing(map -> !host.clocks.isUnreached(map)));
    }
    List<TaskAttemptID> maps = wanted.limit(FetchLimits.MAX_MAPS_AT_ONCE).toList();
    host.known.removeAll(Set.copyOf(maps));
    if (host.known.isEmpty()) {
      host.known = new LinkedHashSet<>(); // which takes less than one that was full
    }
    host.busy = true;
    host.failedInBatch = false;
    host.penalized = false;
    return new Batch(host.name, host.url, maps);
  }

  /** Whether this output is still wanted: its attempt stands and no other one has delivered. */
  synchronized boolean wants(TaskAttemptID map) {
    return !obsolete.contains(map) && !done[map.getTaskID().getId()];
  }

  /**
   * An output was located or fetched.
   *
   * @return false if it is not wanted (any more); the caller then closes what is still its own
   */
  synchronized boolean succeeded(Batch batch, FetchedOutput output) {
    TaskAttemptID map = output.map();
    failures.forget(map, batch.hostName());
    if (ended || !wants(map)) {
      putBack(hosts.get(batch.hostName()), map);
      return false;
    }
    int index = map.getTaskID().getId();
    done[index] = true;
    outputs[index] = output;
    Host host = hosts.get(batch.hostName());
    deliveredBy[index] = host;
    host.clocks.over(map);
    host.refusals = 0;
    failures.progressed(nanoClock.getAsLong());
    mapDone();
    return true;
  }

  private void mapDone() {
    remaining--;
    listener.progress(totalMaps - remaining, totalMaps);
    notifyAll();
  }

  /**
   * These outputs cannot be had now, which is no failure yet: each is asked for again after a
   * pause. {@link FailureClocks} has the rule by which troubles are timed.
   *
   * @param patienceMs for how long the trouble may go on, from the first time on
   * @return those for which it has gone on for longer: they have failed
   */
  synchronized List<TaskAttemptID> later(
      Batch batch, Collection<TaskAttemptID> maps, Kind kind, long patienceMs) {
    Host host = hosts.get(batch.hostName());
    long nowNs = nanoClock.getAsLong();
    List<TaskAttemptID> failed = new ArrayList<>();
    long pauseNs = 0; // one for all, so that they are asked for together again
    for (TaskAttemptID map : maps) {
      if (ended || !wants(map)) {
        putBack(host, map);
        continue;
      }
      long ageMs = TimeUnit.NANOSECONDS.toMillis(host.clocks.ageNs(map, kind, nowNs));
      if (ageMs >= patienceMs) {
        failed.add(map);
      } else {
        pauseNs = pauseNs == 0 ? TimeUnit.MILLISECONDS.toNanos(pauseMs(kind, ageMs)) : pauseNs;
        host.laterNs.put(map, nowNs + pauseNs);
      }
    }
    host.clocks.failed(failed, kind);
    return failed;
  }

  /** As stock pauses, where it tries the same again; else the longer the older the trouble is. */
  private long pauseMs(Kind kind, long ageMs) {
    if (kind == Kind.READ) {
      return policy.retryIntervalMs();
    }
    long pauseMs = Math.max(SHORTEST_PAUSE_MS, Math.min(LONGEST_PAUSE_MS, ageMs));
    return pauseMs / 2 + random.nextLong(pauseMs);
  }

  /** An output could not be had; it is tried again after the host's penalty. */
  synchronized void failed(Batch batch, TaskAttemptID map, Kind kind) {
    Host host = hosts.get(batch.hostName());
    putBack(host, map);
    if (ended || !wants(map)) {
      return;
    }
    if (!host.failedInBatch) {
      host.failedInBatch = true;
      failures.hostFailed(host.name);
    }
    Verdict verdict =
        failures.failed(map, host.name, kind, totalMaps - remaining, nanoClock.getAsLong());
    listener.fetchFailed();
    if (verdict.report()) {
      LOG.info("Reporting fetch failure for {} to the ApplicationMaster", map);
      listener.reportFetchFailure(map);
    }
    verdict.hopeless().ifPresent(reason -> fail(new IOException(reason)));
    penalize(host, verdict.penaltyMs());
  }

  /**
   * The host has said that it does not have this output; the host itself is well. That is reported,
   * and the output is asked for again later, in case nobody runs its map again. Of all that a host
   * has lost, no more is reported at a time than stock asks a host for: the rest waits for the
   * ApplicationMaster to answer.
   */
  synchronized void lost(Batch batch, TaskAttemptID map) {
    Host host = hosts.get(batch.hostName());
    if (ended || !wants(map)) {
      putBack(host, map);
      return;
    }
    long nowNs = nanoClock.getAsLong();
    host.clocks.over(map);
    if (!host.mayReport(nowNs)) {
      host.unreported.add(map);
      return;
    }
    Verdict verdict = failures.lost(map);
    host.lostUntilNs.put(map, nowNs + TimeUnit.MILLISECONDS.toNanos(verdict.penaltyMs()));
    LOG.info("{} has lost the output of {}; reporting that it must be run again", host.name, map);
    listener.fetchFailed();
    listener.reportFetchFailure(map);
    verdict.hopeless().ifPresent(reason -> fail(new IOException(reason)));
  }

  /** The host does not have any more what it has delivered: it is asked for it again. */
  synchronized void askAgain(Batch batch, Collection<TaskAttemptID> absent) {
    Host host = hosts.get(batch.hostName());
    for (TaskAttemptID map : absent) {
      if (!ended && isLocated(map) && !outputs[map.getTaskID().getId()].isResident()) {
        undo(map.getTaskID().getId());
        putBack(host, map);
      }
    }
  }

  /**
   * The outputs that were had from the batch's host, are still counted, and whose bytes are not all
   * on this node.
   */
  synchronized List<TaskAttemptID> remoteOf(Batch batch) {
    Host host = hosts.get(batch.hostName());
    return IntStream.range(0, deliveredBy.length)
        .filter(index -> deliveredBy[index] == host && !outputs[index].isResident())
        .mapToObj(index -> outputs[index].map())
        .toList();
  }

  /**
   * The host is alive but wants to be left alone for a while; that is no failure of anything. No
   * longer than after a failure, whatever it asks for.
   */
  synchronized void backOff(Batch batch, long delayMs) {
    Host host = hosts.get(batch.hostName());
    host.clocks.comeLater(batch.maps());
    penalize(host, Math.min(delayMs, failures.maxPenaltyMs()));
  }

  /** The host's ShuffleHandler was reached, whatever it has answered. */
  synchronized void answered(Batch batch) {
    hosts.get(batch.hostName()).clocks.answered();
  }

  /** The host's service has answered and did not refuse: refusals before that are over. */
  synchronized void accepted(Batch batch) {
    hosts.get(batch.hostName()).refusals = 0;
  }

  /**
   * The host's service is busy now. It is left alone for longer each time, and nothing has failed.
   *
   * @param reason what it says, and what it says to raise
   * @return how often it has refused since it last answered, or the host delivered something
   */
  synchronized int refused(Batch batch, String reason) {
    Host host = hosts.get(batch.hostName());
    long nowNs = nanoClock.getAsLong();
    if (host.refusals == 0) {
      host.refusedSinceNs = nowNs;
    }
    batch.maps().forEach(host.clocks::over);
    long delayMs =
        Math.min(LONGEST_REFUSAL_MS, FIRST_REFUSAL_MS << Math.min(host.refusals, MAX_DOUBLINGS));
    host.refusals++;
    long refusedMs = TimeUnit.NANOSECONDS.toMillis(nowNs - host.refusedSinceNs);
    if (refusedMs > MAX_REFUSED_MS) {
      fail(
          new IOException(
              "the Sluice service at "
                  + host.name
                  + " has been busy for "
                  + refusedMs
                  + " ms: "
                  + reason));
    }
    penalize(host, delayMs / 2 + random.nextLong(delayMs)); // not all reducers at once
    return host.refusals;
  }

  private void penalize(Host host, long delayMs) {
    host.penalized = true;
    host.penalizedUntilNs = nanoClock.getAsLong() + TimeUnit.MILLISECONDS.toNanos(delayMs);
  }

  /** These outputs of the batch were not asked for; they are as needed as before. */
  synchronized void putBack(Batch batch, Collection<TaskAttemptID> maps) {
    maps.forEach(map -> putBack(hosts.get(batch.hostName()), map));
  }

  private void putBack(Host host, TaskAttemptID map) {
    if (!obsolete.contains(map)) {
      host.known.add(map);
    }
  }

  /** The batch's host may be taken again. */
  synchronized void release(Batch batch) {
    hosts.get(batch.hostName()).busy = false;
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
    if (remaining > 0 && failure == null) {
      wait(waitMs);
    }
    if (remaining > 0 || failure != null) {
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

  /** Lets everybody who waits in {@link #take} go; no output is taken in any more. */
  synchronized void end() {
    ended = true;
    notifyAll();
  }

  /** How many maps are not shuffled yet. */
  synchronized int remainingMaps() {
    return remaining;
  }

  /** Names each attempt whose output it holds; those of failed tasks are not among them. */
  synchronized List<TaskAttemptID> shuffled() {
    return held().map(FetchedOutput::map).toList();
  }

  /** How many outputs it holds. */
  synchronized int shuffledMaps() {
    return (int) held().count();
  }

  private Stream<FetchedOutput> held() {
    return Arrays.stream(outputs).filter(Objects::nonNull);
  }

  /** Outputs that were given up; the caller owns and closes them. */
  synchronized List<FetchedOutput> takeWithdrawn() {
    List<FetchedOutput> taken = List.copyOf(withdrawn);
    withdrawn.clear();
    return taken;
  }

  /**
   * Hands over the runs of all maps, in the order of the maps; the caller owns them from now on.
   *
   * @throws IllegalStateException before {@link #awaitDone} was true: records would be lost
   */
  synchronized List<MergeRun> takeAll() {
    if (!ended || remaining > 0) {
      throw new IllegalStateException(
          remaining + " of " + totalMaps + " maps are not shuffled; the reduce must run again");
    }
    List<MergeRun> runs = new ArrayList<>(totalMaps);
    for (int index = 0; index < outputs.length; index++) {
      if (outputs[index] != null) {
        runs.addAll(outputs[index].runs());
        outputs[index] = null; // one by one: there is no room for all outputs beside all runs
      }
    }
    forgetAll();
    return List.copyOf(runs);
  }

  private void forgetAll() {
    outputs = new FetchedOutput[0];
    deliveredBy = new Host[0];
  }

  /** Ends, and closes what was not handed over, also when closing one run fails. */
  @Override
  public void close() throws IOException {
    List<FetchedOutput> closing;
    synchronized (this) {
      end();
      closing = new ArrayList<>(takeWithdrawn());
      held().forEach(closing::add);
      forgetAll();
    }
    Closer.all(closing);
  }
}
