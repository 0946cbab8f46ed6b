package io.sluice.node.socket;

import java.util.EnumMap;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.function.LongSupplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Counts the refusals of tasks and readers, and logs at most one of each kind a second: a peer that
 * tries often must not fill the log.
 *
 * <p>Thread contract: safe from any thread.
 */
public final class Refusals {
  private static final Logger LOG = LoggerFactory.getLogger(Refusals.class);
  private static final long PAUSE_NS = TimeUnit.SECONDS.toNanos(1);

  private final LongSupplier clockNs;
  private final Consumer<String> log;
  private final Map<RefusalKind, State> states = new EnumMap<>(RefusalKind.class);

  private static final class State {
    private long count;
    private long silent; // since the last line
    private long loggedNs;
  }

  /** Of nothing yet. */
  public Refusals() {
    this(System::nanoTime, LOG::warn);
  }

  Refusals(LongSupplier clockNs, Consumer<String> log) {
    this.clockNs = clockNs;
    this.log = log;
    for (RefusalKind kind : RefusalKind.values()) {
      states.put(kind, new State());
    }
  }

  /** Notes one that was told this. */
  public synchronized void add(RefusalKind kind, String message) {
    State state = states.get(kind);
    long nowNs = clockNs.getAsLong();
    boolean first = state.count == 0;
    state.count++;
    if (!first && nowNs - state.loggedNs < PAUSE_NS) {
      state.silent++;
      return;
    }
    log.accept(
        "Refused (%s; %s more of that kind since the last such line): %s"
            .formatted(kind.text(), state.silent, message));
    state.silent = 0;
    state.loggedNs = nowNs;
  }

  /** How many of each kind, none left out. */
  public synchronized Map<RefusalKind, Long> counts() {
    Map<RefusalKind, Long> counts = new EnumMap<>(RefusalKind.class);
    states.forEach((kind, state) -> counts.put(kind, state.count));
    return counts;
  }
}
