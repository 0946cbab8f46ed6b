package io.sluice.rdma.transport;

/**
 * How many connections a server takes, and how long one may do nothing.
 *
 * <p>A connection has a thread of the server, which is what it costs; see {@code
 * docs/connections.md} for figures. So there is a bound, and what is beyond it is told to come
 * later, never cut off without a word.
 *
 * @param maxConnections connections at a time whose peer has proved that it may connect
 * @param maxUnproved connections at a time whose peer has not, beside those
 * @param proofTimeoutMs how long a peer has from the accept to its proof, in all
 * @param idleTimeoutMs after so long without a request a connection is ended; its peer may come
 *     again
 */
public record ConnectionLimits(
    int maxConnections, int maxUnproved, long proofTimeoutMs, long idleTimeoutMs) {
  /** How many may wait to be accepted, proved or not; the kernel cuts it to its own limit. */
  public static final int BACKLOG = 4096;

  /** What a server has unless it is told otherwise. */
  public static final ConnectionLimits DEFAULT = new ConnectionLimits(2048, 256, 5_000, 60_000);

  /**
   * Files of a service for a task (4) and for a reader's control connection (3), selectors' too.
   */
  private static final int FILES_BUT_DATA = 7;

  /** One in so many open files may be that of a connection; the others are those of the pool. */
  private static final int FILES_PART = 2;

  public ConnectionLimits {
    if (maxConnections < 1 || maxUnproved < 1 || proofTimeoutMs < 1 || idleTimeoutMs < 1) {
      throw new IllegalArgumentException(
          "a server must take at least one connection of each kind for at least 1 ms, not "
              + maxConnections
              + " and "
              + maxUnproved
              + " for "
              + proofTimeoutMs
              + " and "
              + idleTimeoutMs
              + " ms");
    }
  }

  /**
   * How many files a process needs that serves as many tasks, readers and, over each of so many
   * transports, data connections.
   */
  public long filesNeeded(int transports) {
    return FILES_PART * (FILES_BUT_DATA + (long) transports) * maxConnections;
  }

  /** The same, or fewer where a process may not have as many files open. */
  public ConnectionLimits within(long openFiles, int transports) {
    long fit = openFiles / (FILES_PART * (FILES_BUT_DATA + (long) transports));
    if (fit >= maxConnections) {
      return this;
    }
    int most = (int) Math.max(1, fit);
    return new ConnectionLimits(most, Math.min(maxUnproved, most), proofTimeoutMs, idleTimeoutMs);
  }
}
