package io.sluice.rdma.transport.tcp;

/**
 * How long a server waits for a client that takes no bytes of what it has asked for.
 *
 * @param stallLimitMs as a rule
 * @param lendLimitMs while those bytes lie in memory that was lent for sending them: half of what
 *     others wait for that memory, or one client keeps a device from all
 */
record TcpServerTimeouts(long stallLimitMs, long lendLimitMs) {
  static final TcpServerTimeouts DEFAULT = new TcpServerTimeouts(60_000, 10_000);

  long shortestMs() {
    return Math.min(stallLimitMs, lendLimitMs);
  }
}
