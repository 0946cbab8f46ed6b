package io.sluice.hadoop.reduce;

import io.sluice.hadoop.reduce.FetchFailures.Kind;
import java.util.Collection;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.Map;
import org.apache.hadoop.mapred.TaskAttemptID;

/**
 * Measures for how long each trouble has kept outputs of one host away. A clock starts with the
 * first failure of an output and runs until the trouble is over. Once it has run for as long as the
 * reduce waits, the output has failed.
 *
 * <p>The clocks are those of stock's Fetcher. In one visit of a host, stock tries for a while to
 * connect, and then tries for a while to read:
 *
 * <ul>
 *   <li>No connection to the ShuffleHandler, {@link Kind#CONNECT} and {@link Kind#UNREACHED}: one
 *       clock for both, since stock too tries until it has a connection. Each answer of the
 *       ShuffleHandler ends it for all outputs: also a refusal, a request to come later (429), or a
 *       reply that breaks off. So does an output that has failed: stock connects for as long again
 *       for the next outputs. An answer of Sluice's service does not end it.
 *   <li>A reply that breaks off, {@link Kind#READ}. The clock goes on while there is no connection.
 *       A refusal and a request to come later end it, as they end stock's visit. So a
 *       ShuffleHandler that asks to come later each time is asked for ever, as by stock.
 *   <li>A service that may have the output, {@link Kind#WAITED}; stock would have failed at once.
 *       The clock goes on through all other troubles, so an output whose troubles alternate fails,
 *       too.
 *   <li>This reduce's own trouble, {@link Kind#OWN}. Any other trouble of the output ends it. While
 *       it runs, the other clocks of the output stand still.
 * </ul>
 *
 * <p>All clocks of an output end when the output has come or is lost. They also end when Sluice's
 * service says that it is busy: the schedule has another limit for that.
 *
 * <p>Thread contract: guarded by the schedule's lock. Failure: none.
 */
final class FailureClocks {
  private final Map<TaskAttemptID, Clocks> ofOutputs = new HashMap<>();

  /** Since when each trouble of an output goes on. */
  private static final class Clocks {
    private final Map<Kind, Long> sinceNs = new EnumMap<>(Kind.class);

    long ageNs(Kind kind, long nowNs) {
      Long ownSinceNs = kind == Kind.OWN ? null : sinceNs.remove(Kind.OWN);
      if (ownSinceNs != null) {
        sinceNs.replaceAll((other, since) -> since + nowNs - ownSinceNs); // which stood still
      }
      return nowNs - sinceNs.computeIfAbsent(kind, begun -> nowNs);
    }

    boolean isRunning(Kind kind) {
      return sinceNs.containsKey(kind);
    }

    /** Returns whether nothing goes on any more. */
    boolean end(Kind kind) {
      sinceNs.remove(kind);
      return sinceNs.isEmpty();
    }
  }

  private static boolean isOfHost(Kind kind) {
    return kind == Kind.CONNECT || kind == Kind.UNREACHED;
  }

  /** This trouble keeps the output away now; returns for how long it has, 0 the first time. */
  long ageNs(TaskAttemptID map, Kind kind, long nowNs) {
    Clocks clocks = ofOutputs.computeIfAbsent(map, begun -> new Clocks());
    if (kind == Kind.REFUSED || kind == Kind.WAITED) {
      clocks.end(Kind.READ);
    }
    return clocks.ageNs(isOfHost(kind) ? Kind.UNREACHED : kind, nowNs);
  }

  /**
   * These outputs have failed. They may be tried for as long again, except for a service that was
   * waited for: that clock goes on.
   */
  void failed(Collection<TaskAttemptID> maps, Kind kind) {
    if (kind == Kind.WAITED) {
      return;
    }
    maps.forEach(ofOutputs::remove);
    if (isOfHost(kind) && !maps.isEmpty()) {
      answered(); // as stock, which connects for as long for the next ones
    }
  }

  /** The ShuffleHandler was reached. */
  void answered() {
    ofOutputs.values().removeIf(clocks -> clocks.end(Kind.UNREACHED));
  }

  /** The ShuffleHandler was reached, and asks to come later for these outputs. */
  void comeLater(Collection<TaskAttemptID> maps) {
    answered();
    for (TaskAttemptID map : maps) {
      Clocks clocks = ofOutputs.get(map);
      if (clocks != null) {
        clocks.end(Kind.READ);
      }
    }
  }

  /** Whether anything keeps an output away. */
  boolean isAnyRunning() {
    return !ofOutputs.isEmpty();
  }

  /** Whether there was no connection for this output. */
  boolean isUnreached(TaskAttemptID map) {
    Clocks clocks = ofOutputs.get(map);
    return clocks != null && clocks.isRunning(Kind.UNREACHED);
  }

  /** Nothing keeps the output away. */
  void over(TaskAttemptID map) {
    ofOutputs.remove(map);
  }

  /** The map's output is needed again, after one of its attempts had delivered. */
  void overForMap(int index) {
    ofOutputs.keySet().removeIf(map -> map.getTaskID().getId() == index);
  }
}
