package io.sluice.hadoop.reduce;

import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.Map;
import java.util.Set;
import org.apache.hadoop.mapred.TaskAttemptID;

/**
 * The outputs that one host has lost: those that were reported and not answered yet, and those that
 * wait for their turn. No more are reported at a time than stock asks one host for; the rest waits
 * until the ApplicationMaster has withdrawn some of the reported attempts.
 *
 * <p>Thread contract: guarded by the schedule's lock. Failure: none.
 */
final class LossReports {
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
   * Moves what is to be asked for again to {@code known}. The deferred ones come behind those that
   * were reported: the ApplicationMaster counts reports of each output.
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
