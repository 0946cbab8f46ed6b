package io.sluice.rdma.transport;

import java.util.List;

/** The names of Sluice's transports in settings, counters and logs. */
public final class TransportNames {
  /** One-sided reads through libibverbs. */
  public static final String VERBS = "verbs";

  /** One-sided reads through UCX. */
  public static final String UCX = "ucx";

  /** One-sided reads through DiSNI. */
  public static final String DISNI = "disni";

  /** Reads over sockets; works everywhere. */
  public static final String TCP = "tcp";

  /** All names, in order of preference. */
  public static final List<String> BEST_FIRST = List.of(VERBS, UCX, DISNI, TCP);

  private TransportNames() {}
}
