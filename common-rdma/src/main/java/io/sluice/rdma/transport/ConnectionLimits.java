package io.sluice.rdma.transport;

/**
 * The limits on the number of a server's connections and on their idle time.
 *
 * <p>A connection costs a file of the server, and over {@code tcp} a thread; {@code
 * docs/connections.md} has figures. Connections above the limit are told that the server is busy;
 * they are not cut off without an answer.
 *
 * @param maxConnections the most authenticated connections at a time
 * @param maxUnauthenticated the most connections at a time that are not authenticated, in addition
 * @param authenticationTimeoutMs the time from the accept until a peer must have authenticated
 * @param idleTimeoutMs the time without a request after which a connection is ended; its peer may
 *     connect again
 */
public record ConnectionLimits(
    int maxConnections, int maxUnauthenticated, long authenticationTimeoutMs, long idleTimeoutMs) {
  /** The length of the accept queue; the kernel reduces it to its own limit. */
  public static final int BACKLOG = 4096;

  /** The default limits. */
  public static final ConnectionLimits DEFAULT = new ConnectionLimits(2048, 256, 5_000, 60_000);

  /**
   * The open files of a service for a task (4) and for a reader's control connection (3), including
   * selectors.
   */
  private static final int FILES_BUT_DATA = 7;

  /** The divisor of the open files that connections may use; the others are for the pool. */
  private static final int FILES_PART = 2;

  public ConnectionLimits {
    if (maxConnections < 1
        || maxUnauthenticated < 1
        || authenticationTimeoutMs < 1
        || idleTimeoutMs < 1) {
      throw new IllegalArgumentException(
          "a server must take at least one connection of each kind for at least 1 ms, not "
              + maxConnections
              + " and "
              + maxUnauthenticated
              + " for "
              + authenticationTimeoutMs
              + " and "
              + idleTimeoutMs
              + " ms");
    }
  }

  /** These limits with another one on the connections that are not authenticated. */
  public ConnectionLimits withUnauthenticated(int most) {
    return new ConnectionLimits(maxConnections, most, authenticationTimeoutMs, idleTimeoutMs);
  }

  /**
   * The number of open files that a process needs for {@code maxConnections} tasks, readers and,
   * over each transport, data connections.
   */
  public long filesNeeded(int transports) {
    return FILES_PART * (FILES_BUT_DATA + (long) transports) * maxConnections;
  }

  /** These limits, or lower ones if the process may not have enough files open. */
  public ConnectionLimits within(long openFiles, int transports) {
    long fit = openFiles / (FILES_PART * (FILES_BUT_DATA + (long) transports));
    if (fit >= maxConnections) {
      return this;
    }
    int most = (int) Math.max(1, fit);
    return new ConnectionLimits(
        most, Math.min(maxUnauthenticated, most), authenticationTimeoutMs, idleTimeoutMs);
  }
}
