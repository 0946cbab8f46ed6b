package io.sluice.node.socket;

import java.util.EnumMap;
import java.util.Locale;
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

  /** Why a task or reader, or one of its requests, was refused; a label of metrics. */
  public enum RefusalKind {
    /** It runs as a user whose tasks are not served, or not for this application. */
    WRONG_USER,

    /** The application is known here with another secret, or it could prove none. */
    WRONG_SECRET,

    /** This node has started nothing of the application. */
    UNKNOWN_APPLICATION,

    /** It asked for a segment of another user's, or for one to write to that it was not granted. */
    FOREIGN_SEGMENT,

    /** It asked for more open files before it had received those that it was sent. */
    UNTAKEN_FILES,

    /** Its output is not as it said, or lies outside of its grants. */
    BAD_OUTPUT,

    /** It sent a message that breaks the protocol. */
    BAD_MESSAGE,

    /** As many are served as the limits allow, or a user cannot be looked up now: it may retry. */
    TOO_MANY;

    /** As counters and messages call it. */
    public String text() {
      return name().toLowerCase(Locale.ROOT).replace('_', '-');
    }
  }
}
