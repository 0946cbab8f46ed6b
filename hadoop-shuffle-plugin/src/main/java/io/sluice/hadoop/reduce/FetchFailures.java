package io.sluice.hadoop.reduce;

import io.sluice.hadoop.reduce.FetchRules.FetchPolicy;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import org.apache.hadoop.mapred.TaskAttemptID;

/**
 * Counts failed fetches, and says what follows from each: whether the ApplicationMaster must hear
 * of it, how long to leave the host alone, whether the attempt has failed. {@link FetchRules} has
 * the figures.
 *
 * <p>Differs from {@link NeededOutputs} in not knowing what is still to be fetched. Thread
 * contract: guarded by the schedule's lock. Failure: none; that an attempt is hopeless is an
 * answer.
 */
final class FetchFailures {
  private final FetchPolicy policy;
  private final int totalMaps;
  private final long startNs;
  private final Map<TaskAttemptID, Integer> failures = new HashMap<>();
  private final Map<TaskAttemptID, Integer> losses = new HashMap<>();
  private final Map<TaskAttemptID, Integer> waits = new HashMap<>();
  private final Map<String, Integer> hostFailures = new HashMap<>();
  private long lastProgressNs;
  private long maxMapRuntimeMs;
  private long totalFailures;

  FetchFailures(FetchPolicy policy, int totalMaps, long nowNs) {
    this.policy = policy;
    this.totalMaps = totalMaps;
    this.startNs = nowNs;
    this.lastProgressNs = nowNs;
  }

  /** Why a fetch failed, which decides how soon the ApplicationMaster hears of it. */
  enum Kind {
    /** Nobody listens at the node's address. */
    CONNECT,
    /** No connection to the node came about for another reason. */
    UNREACHED,
    /** The node answered without the output. */
    REFUSED,
    /** The connection broke in the answer, or the answer was not the output. */
    READ,
    /** A service that may have the output did not give it within the time of a restart. */
    WAITED,
    /** This reduce itself could not ask. No output has failed, and nothing is counted here. */
    OWN
  }

  /**
   * The consequences of a failure.
   *
   * @param report whether the ApplicationMaster must hear of the output
   * @param penaltyMs how long to leave the host alone
   * @param hopeless why the whole attempt has failed; empty if it has not
   */
  record Verdict(boolean report, long penaltyMs, Optional<String> hopeless) {}

  /** A map has run for so long; a shuffle may stall for as long as half of the longest. */
  void mapRan(long runtimeMs) {
    maxMapRuntimeMs = Math.max(maxMapRuntimeMs, runtimeMs);
  }

  /** The host has delivered this output. */
  void forget(TaskAttemptID map, String host) {
    failures.remove(map);
    losses.remove(map);
    waits.remove(map);
    hostFailures.remove(host);
  }

  /** One more output is there. */
  void progressed(long nowNs) {
    lastProgressNs = nowNs;
  }

  /** Counts against the host; once for a connection, however many outputs were wanted over it. */
  void hostFailed(String host) {
    hostFailures.merge(host, 1, Integer::sum);
  }

  /**
   * Counts a failed fetch; {@code doneMaps} outputs are there.
   *
   * <p>A failure of kind {@link Kind#WAITED} does not count against this attempt until the output
   * was reported {@link FetchPolicy#notifications} times: an earlier attempt has failed, and the
   * next one could not read the output either.
   */
  Verdict failed(TaskAttemptID map, String host, Kind kind, int doneMaps, long nowNs) {
    if (kind == Kind.WAITED) {
      int reports = waits.merge(map, 1, Integer::sum);
      if (reports <= Math.min(policy.notifications(), mostFailures())) {
        return new Verdict(true, penaltyMs(reports), Optional.empty());
      }
    }
    int count = failures.merge(map, 1, Integer::sum);
    boolean report =
        kind == Kind.CONNECT
            || kind == Kind.WAITED
            || (kind == Kind.READ && policy.reportReadErrors())
            || count % policy.failuresBeforeReport() == 0
            || hostFailures.getOrDefault(host, 1) > policy.maxHostFailures();
    Optional<String> hopeless =
        count >= mostFailures()
            ? Optional.of(count + " failures fetching the output of " + map)
            : unhealthy(doneMaps, nowNs);
    totalFailures++; // stock judges its health by the failures before this one
    return new Verdict(report, penaltyMs(count), hopeless);
  }

  /**
   * Counts an output that its node has certainly lost. That does not count against this attempt:
   * the map is run again. The output is asked for again after a while, if only to report it once
   * more.
   */
  Verdict lost(TaskAttemptID map) {
    int count = losses.merge(map, 1, Integer::sum);
    Optional<String> hopeless =
        count >= mostFailures()
            ? Optional.of("the output of " + map + " was reported as lost " + count + " times")
            : Optional.empty();
    return new Verdict(true, penaltyMs(count), hopeless);
  }

  private long penaltyMs(int count) {
    return FetchRules.penaltyMs(count, policy.maxPenaltyMs());
  }

  private int mostFailures() {
    return FetchRules.mostFailures(totalMaps);
  }

  private Optional<String> unhealthy(int doneMaps, long nowNs) {
    long stallMs = TimeUnit.NANOSECONDS.toMillis(nowNs - lastProgressNs);
    long runMs = Math.max(TimeUnit.NANOSECONDS.toMillis(lastProgressNs - startNs), maxMapRuntimeMs);
    return FetchRules.isHopeless(
            failures.size(), totalFailures, doneMaps, totalMaps, stallMs, runMs)
        ? Optional.of(
            "Exceeded MAX_FAILED_UNIQUE_FETCHES; bailing-out: "
                + failures.size()
                + " map outputs could not be fetched, "
                + doneMaps
                + " of "
                + totalMaps
                + " were")
        : Optional.empty();
  }
}
