package io.sluice.rdma.transport.support;

import java.util.HashMap;
import java.util.Map;
import java.util.OptionalLong;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;

/**
 * Keeps peers from filling the log: of lines that say the same, the first is written, and then one
 * a minute, which says how many were left out.
 *
 * <p>Thread contract: safe from any thread.
 */
public final class LogLimit {
  private static final long PAUSE_NS = TimeUnit.MINUTES.toNanos(1);

  /** Lines of more subjects than this count as the same. */
  private static final int MOST_SUBJECTS = 100;

  private static final Object OTHERS = new Object();

  private final LongSupplier clockNs;
  private final Map<Object, State> states = new HashMap<>();

  private static final class State {
    private long leftOut;
    private long loggedNs;
  }

  /** Nothing was logged yet. */
  public LogLimit() {
    this(System::nanoTime);
  }

  LogLimit(LongSupplier clockNs) {
    this.clockNs = clockNs;
  }

  /**
   * Asks before a line is written.
   *
   * @param subject equal for lines that say the same
   * @return how many lines were left out since the last one; empty if this one is left out too
   */
  public synchronized OptionalLong mayLog(Object subject) {
    long nowNs = clockNs.getAsLong();
    boolean known = states.containsKey(subject) || states.size() < MOST_SUBJECTS;
    State state = states.get(known ? subject : OTHERS);
    if (state == null) {
      state = new State();
      states.put(known ? subject : OTHERS, state);
    } else if (nowNs - state.loggedNs < PAUSE_NS) {
      state.leftOut++;
      return OptionalLong.empty();
    }
    long leftOut = state.leftOut;
    state.leftOut = 0;
    state.loggedNs = nowNs;
    return OptionalLong.of(leftOut);
  }
}
