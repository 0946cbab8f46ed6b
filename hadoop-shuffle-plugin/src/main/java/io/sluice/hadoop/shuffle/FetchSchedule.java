package io.sluice.hadoop.shuffle;

import java.io.IOException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;
import org.apache.hadoop.mapred.TaskAttemptID;
import org.apache.hadoop.mapred.TaskCompletionEvent;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Which map outputs a reducer still needs, where they are, and which nodes it must leave alone for
 * a while: the policy of stock's {@code ShuffleSchedulerImpl}, kept figure for figure.
 *
 * <p>It differs where Sluice does: a map output counts as shuffled once it is <i>located</i>, its
 * bytes being read while they are merged. So when its attempt is withdrawn before the merge begins
 * and the bytes are not all on this node, the output is forgotten and its successor awaited, where
 * stock would keep its own copy.
 *
 * <p>Thread contract: safe from any thread; the callbacks run under its lock and must not wait.
 * Failure: {@link #throwIfFailed} throws what made the attempt hopeless.
 */
final class FetchSchedule {
  private static final Logger LOG = LoggerFactory.getLogger(FetchSchedule.class);

  private static final int MAX_MAPS_AT_ONCE = 20;
  private static final long INITIAL_PENALTY_MS = 10_000;
  private static final double PENALTY_GROWTH = 1.3;
  private static final double MAX_FAILED_FETCH_SHARE = 0.5;
  private static final double MIN_PROGRESS_SHARE = 0.5;
  private static final double MAX_STALL_SHARE = 0.5;

  /** How the policy is tuned; read from the job by {@link FetchPolicy}. */
  private final FetchPolicy policy;

  private final Listener listener;
  private final LongSupplier nanoClock;
  private final int totalMaps;
  private final TaskAttemptID[] doneBy;
  private final boolean[] done;
  private final Map<String, Host> hosts = new LinkedHashMap<>();
  private final Set<TaskAttemptID> obsolete = new HashSet<>();
  private final Map<TaskAttemptID, Integer> failures = new HashMap<>();
  private final Map<String, Integer> hostFailures = new HashMap<>();
  private final long startNs;
  private long lastProgressNs;
  private long maxMapRuntimeMs;
  private long totalFailures;
  private int remaining;
  private IOException failure;
  private boolean closed;

  /** What the schedule tells its owner. */
  interface Listener {
    /** The ApplicationMaster must hear that this output cannot be fetched. */
    void reportFetchFailure(TaskAttemptID map);

    /** One more fetch has failed. */
    void fetchFailed();

    /**
     * The attempt of a located output was withdrawn.
     *
     * @return true if its bytes were given up and another attempt is needed, false if they are all
     *     on this node and are kept
     */
    boolean withdraw(TaskAttemptID map);

    /** So many maps of all are shuffled. */
    void progress(int doneMaps, int totalMaps);
  }

  FetchSchedule(int totalMaps, FetchPolicy policy, Listener listener, LongSupplier nanoClock) {
    this.totalMaps = totalMaps;
    this.policy = policy;
    this.listener = listener;
    this.nanoClock = nanoClock;
    this.doneBy = new TaskAttemptID[totalMaps];
    this.done = new boolean[totalMaps];
    this.remaining = totalMaps;
    this.startNs = nanoClock.getAsLong();
    this.lastProgressNs = startNs;
  }

  /** A NodeManager, by the address of its stock ShuffleHandler. */
  private static final class Host {
    final String name;
    final String url;
    final Set<TaskAttemptID> known = new java.util.LinkedHashSet<>();
    boolean busy;
    long penalizedUntilNs;
    boolean penalized;

    Host(String name, String url) {
      this.name = name;
      this.url = url;
    }
  }

  /** Maps to fetch from one host, which nobody else fetches from until {@link #release}. */
  record Batch(String hostName, String url, List<TaskAttemptID> maps) {}

  /** Takes in one completion event, as the ApplicationMaster sent it. */
  synchronized void resolve(TaskCompletionEvent event) {
    TaskAttemptID attempt = event.getTaskAttemptId();
    switch (event.getTaskStatus()) {
      case SUCCEEDED -> {
        java.net.URI uri = java.net.URI.create(event.getTaskTrackerHttp());
        String name = uri.getHost() + ":" + uri.getPort();
        hosts
            .computeIfAbsent(name, n -> new Host(n, event.getTaskTrackerHttp()))
            .known
            .add(attempt);
        maxMapRuntimeMs = Math.max(maxMapRuntimeMs, event.getTaskRunTime());
        notifyAll();
      }
      case FAILED, KILLED, OBSOLETE -> {
        obsolete.add(attempt);
        int index = attempt.getTaskID().getId();
        if (attempt.equals(doneBy[index]) && listener.withdraw(attempt)) {
          LOG.info("Map output {} was withdrawn before its merge; awaiting its successor", attempt);
          doneBy[index] = null;
          done[index] = false;
          remaining++;
          notifyAll();
        } else {
          LOG.info("Ignoring obsolete output of {} map {}", event.getTaskStatus(), attempt);
        }
      }
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

  /**
   * Takes a host that has needed outputs, or null when the shuffle is over or {@code waitMs} passed
   * without one.
   */
  synchronized Batch take(long waitMs) throws InterruptedException {
    long deadlineNs = nanoClock.getAsLong() + TimeUnit.MILLISECONDS.toNanos(waitMs);
    while (!closed && failure == null) {
      long nowNs = nanoClock.getAsLong();
      long wakeNs = deadlineNs;
      for (Host host : hosts.values()) {
        if (host.busy || host.known.isEmpty()) {
          continue;
        }
        if (host.penalized && host.penalizedUntilNs - nowNs > 0) {
          wakeNs = Math.min(wakeNs, host.penalizedUntilNs);
          continue;
        }
        List<TaskAttemptID> maps = needed(host);
        if (!maps.isEmpty()) {
          host.busy = true;
          host.penalized = false;
          return new Batch(host.name, host.url, maps);
        }
      }
      if (deadlineNs - nowNs <= 0) {
        return null;
      }
      wait(Math.max(1, TimeUnit.NANOSECONDS.toMillis(wakeNs - nowNs)));
    }
    return null;
  }

  private List<TaskAttemptID> needed(Host host) {
    List<TaskAttemptID> maps = new ArrayList<>();
    host.known.removeIf(map -> obsolete.contains(map) || done[map.getTaskID().getId()]);
    for (TaskAttemptID map : host.known) {
      if (maps.size() == MAX_MAPS_AT_ONCE) {
        break;
      }
      maps.add(map);
    }
    host.known.removeAll(maps);
    return maps;
  }

  /** Whether this output is still wanted: its attempt stands and no other one has delivered. */
  synchronized boolean wants(TaskAttemptID map) {
    return !obsolete.contains(map) && !done[map.getTaskID().getId()];
  }

  /**
   * An output was located or fetched.
   *
   * @return false if it is not wanted (any more); the caller then discards what it has
   */
  synchronized boolean succeeded(Batch batch, TaskAttemptID map) {
    failures.remove(map);
    hostFailures.remove(batch.hostName());
    if (!wants(map)) {
      return false;
    }
    int index = map.getTaskID().getId();
    done[index] = true;
    doneBy[index] = map;
    lastProgressNs = nanoClock.getAsLong();
    mapDone();
    return true;
  }

  private void mapDone() {
    remaining--;
    listener.progress(totalMaps - remaining, totalMaps);
    notifyAll();
  }

  /** Why a fetch failed, which decides how soon the ApplicationMaster hears of it. */
  enum FailureKind {
    /** No connection to the node. */
    CONNECT,
    /** The connection broke, or what came was not the output. */
    READ
  }

  /** An output could not be had; it is tried again after the host's penalty. */
  synchronized void failed(Batch batch, TaskAttemptID map, FailureKind kind) {
    if (!wants(map)) {
      return;
    }
    Host host = hosts.get(batch.hostName());
    host.known.add(map);
    int count = failures.merge(map, 1, Integer::sum);
    int hostCount = hostFailures.merge(batch.hostName(), 1, Integer::sum);
    totalFailures++;
    listener.fetchFailed();
    if (count >= Math.max(30, totalMaps / 10)) {
      fail(new IOException(count + " failures fetching the output of " + map));
    }
    if (kind == FailureKind.CONNECT
        || policy.reportReadErrors()
        || count % policy.failuresBeforeReport() == 0
        || hostCount > policy.maxHostFailures()) {
      LOG.info("Reporting fetch failure for {} to the ApplicationMaster", map);
      listener.reportFetchFailure(map);
    }
    checkHealth();
    long penaltyMs =
        Math.min(
            (long) (INITIAL_PENALTY_MS * Math.pow(PENALTY_GROWTH, count)), policy.maxPenaltyMs());
    host.penalized = true;
    host.penalizedUntilNs = nanoClock.getAsLong() + TimeUnit.MILLISECONDS.toNanos(penaltyMs);
  }

  private void checkHealth() {
    int doneMaps = totalMaps - remaining;
    boolean tooManyFailedMaps =
        failures.size() >= Math.min(totalMaps, 5) || failures.size() == remaining;
    boolean unhealthy =
        (double) totalFailures / (totalFailures + doneMaps) >= MAX_FAILED_FETCH_SHARE;
    boolean littleProgress = (double) doneMaps / totalMaps < MIN_PROGRESS_SHARE;
    long stallMs = TimeUnit.NANOSECONDS.toMillis(nanoClock.getAsLong() - lastProgressNs);
    long runMs = Math.max(TimeUnit.NANOSECONDS.toMillis(lastProgressNs - startNs), maxMapRuntimeMs);
    boolean stalled = runMs == 0 ? stallMs > 0 : (double) stallMs / runMs >= MAX_STALL_SHARE;
    if (tooManyFailedMaps && unhealthy && (littleProgress || stalled)) {
      fail(
          new IOException(
              "Exceeded MAX_FAILED_UNIQUE_FETCHES; bailing-out: "
                  + failures.size()
                  + " map outputs could not be fetched, "
                  + doneMaps
                  + " of "
                  + totalMaps
                  + " were"));
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

  /** Waits until every map is shuffled; false when {@code waitMs} passed before that. */
  synchronized boolean awaitDone(long waitMs) throws InterruptedException {
    if (remaining > 0 && failure == null) {
      wait(waitMs);
    }
    return remaining == 0;
  }

  /** Throws what {@link #fail} was told, if anything. */
  synchronized void throwIfFailed() throws IOException {
    if (failure != null) {
      throw new IOException("error in shuffle: " + failure.getMessage(), failure);
    }
  }

  /** Whether there is nothing left to take, because all is done, failed or closed. */
  synchronized boolean isOver() {
    return closed || failure != null;
  }

  /** Lets everybody who waits in {@link #take} go. */
  synchronized void close() {
    closed = true;
    notifyAll();
  }

  /** Names each attempt whose output is shuffled; those of failed tasks are not among them. */
  synchronized List<TaskAttemptID> shuffled() {
    List<TaskAttemptID> result = new ArrayList<>();
    for (TaskAttemptID attempt : doneBy) {
      if (attempt != null) {
        result.add(attempt);
      }
    }
    return result;
  }
}
