package io.sluice.node.wire;

/**
 * How long a task waits for a node service.
 *
 * @param exchangeMs for one exchange: to connect, to be answered, or for one read
 * @param restartMs for a service that does not answer at all, because it is being restarted
 * @param busyMs for a service that answers that it takes no further connection now
 */
public record Timeouts(long exchangeMs, long restartMs, long busyMs) {
  /** The same for each. */
  public static Timeouts all(long timeoutMs) {
    return new Timeouts(timeoutMs, timeoutMs, timeoutMs);
  }
}
