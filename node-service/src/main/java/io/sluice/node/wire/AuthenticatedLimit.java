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
 * The places of a server for connections whose peers have proved that they may be here.
 *
 * <p>When there is none for one that comes, it gets that of the connection of the same sharer that
 * has been unused for longest, if that is a second at least: a peer may be about to ask more. A
 * peer keeps an unused connection only to save the next one, and makes another when it is ended. So
 * many more peers are served one after the other than there are places.
 *
 * <p>Differs from {@link io.sluice.rdma.transport.support.UnauthenticatedLimit} in that one that is
 * used is never ended for another one's sake.
 *
 * <p>Thread contract: safe from any thread; {@code end} runs on that of who comes, under no lock.
 * Ownership: the connections stay the server's.
 *
 * @param <C> a connection
 */
final class AuthenticatedLimit<C> {
  static final long KEPT_NS = TimeUnit.SECONDS.toNanos(1);

  private final FairShare places;
  private final LongSupplier nanoClock;
  private final Consumer<C> end;
  private final Map<C, Optional<Object>> sharers = new HashMap<>();
  private final Map<C, Long> unusedSinceNs = new LinkedHashMap<>(); // longest ago first

  /**
   * With so many free places.
   *
   * @param end ends a connection that has lost its place
   */
  AuthenticatedLimit(int most, LongSupplier nanoClock, Consumer<C> end) {
    this.places = new FairShare(most);
    this.nanoClock = nanoClock;
    this.end = end;
  }

  /**
   * A connection wants a place, and uses it if it has one.
   *
   * @param sharer whose it is, or null where places are not shared
   * @return false if there is none
   */
  boolean take(C connection, Object sharer) {
    C former = null;
    synchronized (this) {
      sharers.put(connection, Optional.ofNullable(sharer)); // first: it takes memory
      boolean taken = false;
      try {
        if (!places.take(sharer)) {
          former = longestUnused(sharer);
          if (former == null) {
            return false;
          }
          unusedSinceNs.remove(former);
          sharers.remove(former); // whose place it gets
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

  /** Its peer has what it asked for; nothing if it has no place. */
  synchronized void unused(C connection) {
    if (sharers.containsKey(connection)) {
      unusedSinceNs.put(connection, nanoClock.getAsLong());
    }
  }

  /**
   * Its peer has asked something.
   *
   * @return whether it has a place
   */
  synchronized boolean used(C connection) {
    unusedSinceNs.remove(connection);
    return sharers.containsKey(connection);
  }

  /** It has ended; nothing if it has no place. */
  synchronized void leave(C connection) {
    unusedSinceNs.remove(connection);
    Optional<Object> sharer = sharers.remove(connection);
    if (sharer != null) {
      places.giveBack(sharer.orElse(null));
    }
  }

  /** How many each sharer has; null's are those that are not shared. */
  Map<Object, Integer> held() {
    return places.held();
  }

  /** How many are taken. */
  synchronized int taken() {
    return sharers.size();
  }
}
