package io.sluice.hadoop.reduce;

import io.sluice.hadoop.reduce.FetchFailures.Kind;
import io.sluice.hadoop.reduce.FetchRules.FetchPolicy;
import io.sluice.hadoop.reduce.FetchSchedule.Batch;
import java.net.URI;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.random.RandomGenerator;
import java.util.stream.Stream;
import org.apache.hadoop.mapred.TaskAttemptID;

/**
 * A NodeManager, by the address of its stock ShuffleHandler: which outputs it has, which of them
 * are asked for later, and until when the host is left alone.
 *
 * <p>Thread contract: guarded by the schedule's lock. Failure: none.
 */
final class FetchHost {
  private final String name;
  private final String url;
  private Set<TaskAttemptID> known = new LinkedHashSet<>();
  private final Map<TaskAttemptID, Long> laterNs = new HashMap<>();
  private final LossReports losses = new LossReports();
  private final FailureClocks clocks = new FailureClocks();
  private boolean busy;
  private boolean failedInBatch;
  private boolean penalized;
  private long penalizedUntilNs;
  private int refusals;
  private long refusedSinceNs;

  FetchHost(String name, String url) {
    this.name = name;
    this.url = url;
  }

  String name() {
    return name;
  }

  /** The outputs that the host has lost. */
  LossReports losses() {
    return losses;
  }

  /** Since when each output that cannot be had is waited for. */
  FailureClocks clocks() {
    return clocks;
  }

  /** The host has this output, and may be asked for it unless the attempt stands no more. */
  void know(TaskAttemptID map, NeededOutputs needed) {
    if (!needed.isObsolete(map)) {
      known.add(map);
    }
  }

  /**
   * These outputs cannot be had now. Each is asked for again after a pause.
   *
   * @return those for which that has gone on for {@code patienceMs} or more: they have failed, and
   *     are not asked for again
   */
  List<TaskAttemptID> askLater(
      List<TaskAttemptID> maps,
      Kind kind,
      long patienceMs,
      long nowNs,
      FetchPolicy policy,
      RandomGenerator random) {
    List<TaskAttemptID> failed = new ArrayList<>();
    OptionalLong untilNs = OptionalLong.empty(); // one for all: they are asked for together again
    for (TaskAttemptID map : maps) {
      long ageMs = TimeUnit.NANOSECONDS.toMillis(clocks.ageNs(map, kind, nowNs));
      if (ageMs >= patienceMs) {
        failed.add(map);
        continue;
      }
      if (untilNs.isEmpty()) {
        long pauseMs = FetchRules.pauseMs(kind, ageMs, policy.retryIntervalMs(), random);
        untilNs = OptionalLong.of(nowNs + TimeUnit.MILLISECONDS.toNanos(pauseMs));
      }
      laterNs.put(map, untilNs.getAsLong());
    }
    clocks.failed(failed, kind);
    return failed;
  }

  /** The host has delivered this output. */
  void delivered(TaskAttemptID map) {
    clocks.over(map);
    accepted();
  }

  /** The attempt stands no more. */
  void forget(TaskAttemptID map) {
    losses.forget(map);
    laterNs.remove(map);
    clocks.over(map);
  }

  /**
   * Outputs whose time has come may be asked for again.
   *
   * @return when the next one may be, if before {@code wakeNs}
   */
  long moveDue(long nowNs, long wakeNs) {
    return moveDue(laterNs, known, nowNs, losses.moveDue(known, nowNs, wakeNs));
  }

  /** Moves the outputs of one table of times whose time has come to {@code known}. */
  static long moveDue(
      Map<TaskAttemptID, Long> untilNs, Set<TaskAttemptID> known, long nowNs, long wakeNs) {
    long nextNs = wakeNs;
    for (var waiting = untilNs.entrySet().iterator(); waiting.hasNext(); ) {
      Map.Entry<TaskAttemptID, Long> entry = waiting.next();
      if (entry.getValue() - nowNs <= 0) {
        known.add(entry.getKey());
        waiting.remove();
      } else {
        nextNs = Math.min(nextNs, entry.getValue());
      }
    }
    return nextNs;
  }

  /** Whether no fetcher is at it, and it has an output that is needed. */
  boolean isUseful(NeededOutputs needed) {
    return !busy && known.stream().anyMatch(needed::wants);
  }

  /** Until when it is left alone; {@code nowNs} if it is not. */
  long aloneUntilNs(long nowNs) {
    return penalized && penalizedUntilNs - nowNs > 0 ? penalizedUntilNs : nowNs;
  }

  void leaveAlone(long nowNs, long delayMs) {
    penalized = true;
    penalizedUntilNs = nowNs + TimeUnit.MILLISECONDS.toNanos(delayMs);
  }

  /** Takes the outputs for one visit; the host is busy until {@link #release}. */
  Batch take(NeededOutputs needed) {
    known.removeAll(needed.obsolete());
    Stream<TaskAttemptID> wanted = known.stream().filter(needed::wants);
    if (clocks.isAnyRunning()) { // else each visit of a silent host is for other outputs
      wanted = wanted.sorted(Comparator.comparing(map -> !clocks.isUnreached(map)));
    }
    List<TaskAttemptID> maps = wanted.limit(FetchRules.MAX_MAPS_AT_ONCE).toList();
    known.removeAll(Set.copyOf(maps));
    if (known.isEmpty()) {
      known = new LinkedHashSet<>(); // which takes less than one that was full
    }
    busy = true;
    failedInBatch = false;
    penalized = false;
    return new Batch(name, url, maps, refusals);
  }

  void release() {
    busy = false;
  }

  /** An output has failed; returns whether it is the first one of this visit. */
  boolean failsFirst() {
    boolean first = !failedInBatch;
    failedInBatch = true;
    return first;
  }

  /** Its service refuses to answer; returns for how long it has. */
  long refused(long nowNs) {
    if (refusals == 0) {
      refusedSinceNs = nowNs;
    }
    refusals++;
    return nowNs - refusedSinceNs;
  }

  /** Its service did not refuse, or an output came from the host. */
  void accepted() {
    refusals = 0;
  }

  /**
   * The outputs that one host has lost: those that were reported and not answered yet, and those
   * that wait for their turn. No more are reported at a time than stock asks one host for; the rest
   * waits until the ApplicationMaster has withdrawn some of the reported attempts.
   *
   * <p>Thread contract: guarded by the schedule's lock. Failure: none.
   */
  static final class LossReports {
    private final Map<TaskAttemptID, Long> reportedUntilNs = new HashMap<>();
    private final Set<TaskAttemptID> unreported = new LinkedHashSet<>();

    /** Whether fewer reports await their answer than stock would ask this host for. */
    boolean mayReport(long nowNs) {
      return reportedUntilNs.values().stream().filter(untilNs -> untilNs - nowNs > 0).count()
          < FetchRules.MAX_MAPS_AT_ONCE;
    }

    /** The output was reported; it is asked for again at {@code untilNs}. */
    void reported(TaskAttemptID map, long untilNs) {
      reportedUntilNs.put(map, untilNs);
    }

    /** The output was not reported; it is asked for again when others may be reported. */
    void defer(TaskAttemptID map) {
      unreported.add(map);
    }

    /** The attempt stands no more. */
    void forget(TaskAttemptID map) {
      reportedUntilNs.remove(map);
      unreported.remove(map);
    }

    /**
     * Moves what is to be asked for again to {@code known}. The deferred ones come behind those
     * that were reported: the ApplicationMaster counts reports of each output.
     *
     * @return when the next one is due, if before {@code wakeNs}
     */
    long moveDue(Set<TaskAttemptID> known, long nowNs, long wakeNs) {
      long nextNs = FetchHost.moveDue(reportedUntilNs, known, nowNs, wakeNs);
      if (mayReport(nowNs)) {
        known.addAll(unreported);
        unreported.clear();
      }
      return nextNs;
    }
  }

  /**
   * All hosts that have had map outputs, and which of them may be visited next.
   *
   * <p>Thread contract: guarded by the schedule's lock. Failure: none.
   */
  static final class FetchHosts {
    private final Map<String, FetchHost> hosts = new LinkedHashMap<>();

    /**
     * The hosts that may be visited now.
     *
     * @param nextNs when to look again, if there is none
     */
    record Ready(List<FetchHost> hosts, long nextNs) {}

    /** The host whose ShuffleHandler has this URL. */
    FetchHost at(String url) {
      // Not by its host: URI has none for names with an underscore, and all of them would be one.
      String name = URI.create(url).getRawAuthority();
      return hosts.computeIfAbsent(name, n -> new FetchHost(n, url));
    }

    FetchHost of(Batch batch) {
      return hosts.get(batch.hostName());
    }

    /** Finds the hosts that have needed outputs and are neither visited now nor left alone. */
    Ready ready(NeededOutputs needed, long nowNs, long deadlineNs) {
      long nextNs = deadlineNs;
      List<FetchHost> ready = new ArrayList<>();
      for (FetchHost host : hosts.values()) {
        nextNs = host.moveDue(nowNs, nextNs);
        if (!host.isUseful(needed)) {
          continue;
        }
        long aloneUntilNs = host.aloneUntilNs(nowNs);
        if (aloneUntilNs - nowNs > 0) {
          nextNs = Math.min(nextNs, aloneUntilNs);
        } else {
          ready.add(host);
        }
      }
      return new Ready(ready, nextNs);
    }

    /** The attempt stands no more. */
    void forget(TaskAttemptID attempt) {
      hosts.values().forEach(host -> host.forget(attempt));
    }

    /** An output of this map is needed again: what kept the outputs away before is over. */
    void needAgain(TaskAttemptID attempt) {
      int index = attempt.getTaskID().getId();
      hosts.values().forEach(host -> host.clocks().overForMap(index));
    }
  }
}
