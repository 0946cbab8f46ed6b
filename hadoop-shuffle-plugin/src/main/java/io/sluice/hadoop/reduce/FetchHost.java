package io.sluice.hadoop.reduce;

import io.sluice.hadoop.reduce.FetchFailures.Kind;
import io.sluice.hadoop.reduce.FetchSchedule.Batch;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
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
}
