package io.sluice.rdma.transport;

import java.util.List;

/** The names of Sluice's transports, as settings, counters and logs have them. */
public final class TransportNames {
  /** One-sided reads through UCX. */
  public static final String UCX = "ucx";

  /** One-sided reads through DiSNI. */
  public static final String DISNI = "disni";

  /** Works everywhere. */
  public static final String TCP = "tcp";

  /** All of them, in the order in which they are preferred. */
  public static final List<String> BEST_FIRST = List.of(UCX, DISNI, TCP);

  private TransportNames() {}
}
