package io.sluice.node.wire;

import io.sluice.rdma.transport.FairShare;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.function.LongSupplier;

/**
 * Limits the connections of authenticated peers.
 *
 * <p>At the limit, a new connection replaces that of the same sharer which has been unused for
 * longest, at least for a second: its peer may be about to ask more. A peer keeps an unused
 * connection only to save the next one, and connects again if it is ended. So the server serves
 * many more peers, one after the other, than the limit allows at a time.
 *
 * <p>Differs from {@link io.sluice.rdma.transport.support.UnauthenticatedLimit} in that it never
 * ends a connection that is in use.
 *
 * <p>Thread contract: safe from any thread; {@code end} runs on the thread of the new connection,
 * under no lock. Ownership: the connections stay the server's.
 *
 * @param <C> a connection
 */
final class AuthenticatedLimit<C> {
  static final long KEPT_NS = TimeUnit.SECONDS.toNanos(1);

  private final FairShare limit;
  private final LongSupplier nanoClock;
  private final Consumer<C> end;
  private final Map<C, Optional<Object>> sharers = new HashMap<>();
  private final Map<C, Long> unusedSinceNs = new LinkedHashMap<>(); // longest ago first

  /**
   * For at most so many connections.
   *
   * @param end ends a connection that is replaced
   */
  AuthenticatedLimit(int most, LongSupplier nanoClock, Consumer<C> end) {
    this.limit = new FairShare(most);
    this.nanoClock = nanoClock;
    this.end = end;
  }

  /**
   * Counts a new connection, which is in use from now on.
   *
   * @param sharer its user, or null if users do not share the limit
   * @return false if the limit is reached
   */
  boolean take(C connection, Object sharer) {
    C former = null;
    synchronized (this) {
      sharers.put(connection, Optional.ofNullable(sharer)); // first: it takes memory
      boolean taken = false;
      try {
        if (!limit.take(sharer)) {
          former = longestUnused(sharer);
          if (former == null) {
            return false;
          }
          unusedSinceNs.remove(former);
          sharers.remove(former); // which it replaces
        }
        taken = true;
      } finally {
        if (!taken) {
          sharers.remove(connection);
        }
      }
    }
    if (former != null) {
      end.accept(former);
    }
    return true;
  }

  private C longestUnused(Object sharer) {
    for (Map.Entry<C, Long> each : unusedSinceNs.entrySet()) {
      if (nanoClock.getAsLong() - each.getValue() < KEPT_NS) {
        return null; // nor are those behind it
      }
      if (Objects.equals(sharers.get(each.getKey()).orElse(null), sharer)) {
        return each.getKey();
      }
    }
    return null;
  }

  /** The connection's peer has its answer; ignored if the connection is not counted. */
  synchronized void unused(C connection) {
    if (sharers.containsKey(connection)) {
      unusedSinceNs.put(connection, nanoClock.getAsLong());
    }
  }

  /**
   * Its peer has asked something.
   *
   * @return whether the connection is counted
   */
  synchronized boolean used(C connection) {
    unusedSinceNs.remove(connection);
    return sharers.containsKey(connection);
  }

  /** The connection has ended; ignored if it is not counted. */
  synchronized void leave(C connection) {
    unusedSinceNs.remove(connection);
    Optional<Object> sharer = sharers.remove(connection);
    if (sharer != null) {
      limit.giveBack(sharer.orElse(null));
    }
  }

  /** How many each sharer has; null's are those that are not shared. */
  Map<Object, Integer> held() {
    return limit.held();
  }

  /** How many are taken. */
  synchronized int taken() {
    return sharers.size();
  }
}
