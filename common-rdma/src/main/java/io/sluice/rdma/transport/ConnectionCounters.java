package io.sluice.rdma.transport;

/**
 * Counters of the connections to a server.
 *
 * @param open authenticated connections that are open now
 * @param refused authenticated connections refused as busy, because the limit was reached
 * @param expelled connections that did not authenticate in time, or were one of too many
 *     unauthenticated ones
 * @param dropped connections whose peer sent a malformed message, or no complete message in time
 * @param errors connections that ended in an error of this process, such as a lack of memory or
 *     threads
 */
public record ConnectionCounters(int open, long refused, long expelled, long dropped, long errors) {
  /** All zero. */
  public static final ConnectionCounters NONE = new ConnectionCounters(0, 0, 0, 0, 0);

  /** Those of a server that has ended: no connection is open. */
  public ConnectionCounters ended() {
    return new ConnectionCounters(0, refused, expelled, dropped, errors);
  }

  /** The sum of both. */
  public ConnectionCounters plus(ConnectionCounters other) {
    return new ConnectionCounters(
        open + other.open,
        refused + other.refused,
        expelled + other.expelled,
        dropped + other.dropped,
        errors + other.errors);
  }
}
