package io.sluice.rdma.transport;

/**
 * What became of the connections that came to a server.
 *
 * @param open proved ones now
 * @param refused proved ones that were told to come later, because there were as many as it takes
 * @param expelled ones that had proved nothing in time, or came in a crowd of such
 * @param dropped ones whose peer sent what is no message, or nothing or not all of one in time
 * @param errors ones that ended in an error of this process, such as a lack of memory or threads
 */
public record ConnectionCounters(int open, long refused, long expelled, long dropped, long errors) {
  /** Of a server that never was. */
  public static final ConnectionCounters NONE = new ConnectionCounters(0, 0, 0, 0, 0);

  /** Both together. */
  public ConnectionCounters plus(ConnectionCounters other) {
    return new ConnectionCounters(
        open + other.open,
        refused + other.refused,
        expelled + other.expelled,
        dropped + other.dropped,
        errors + other.errors);
  }
}
