package io.sluice.rdma.transport.support;

import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.BiConsumer;

/**
 * Limits the connections of a server that are not authenticated yet, in number and in time.
 *
 * <p>Above the limit, the oldest connection of the peer with the most connections is ended. So no
 * peer can keep another one from authenticating: a host that opens thousands of connections loses
 * its own.
 *
 * <p>Unlike the limit on authenticated connections, it refuses none. Each new connection may send,
 * until its deadline or until it is ended.
 *
 * <p>Thread contract: safe from any thread. {@code end} runs on the thread that calls {@link
 * #enter}, or on that of the deadlines, under no lock, and must not wait. Ownership: the server
 * owns the connections.
 *
 * @param <C> a connection
 */
public final class UnauthenticatedLimit<C> {
  private final int maxUnauthenticated;
  private final long authenticationTimeoutMs;
  private final Deadlines deadlines;
  private final BiConsumer<C, String> end;
  private final Map<C, Entered> inside = new LinkedHashMap<>(); // the oldest first
  private final LongAdder expelled = new LongAdder();

  private record Entered(Object peer, Deadlines.Deadline deadline) {}

  /**
   * Creates an empty one.
   *
   * @param end ends a connection, with the reason
   */
  public UnauthenticatedLimit(
      int maxUnauthenticated,
      long authenticationTimeoutMs,
      Deadlines deadlines,
      BiConsumer<C, String> end) {
    this.maxUnauthenticated = maxUnauthenticated;
    this.authenticationTimeoutMs = authenticationTimeoutMs;
    this.deadlines = deadlines;
    this.end = end;
  }

  /**
   * Adds an accepted connection.
   *
   * @param peer the address or user of the peer
   */
  public void enter(C connection, Object peer) {
    C victim = null;
    synchronized (this) {
      Deadlines.Deadline deadline =
          deadlines.after(
              authenticationTimeoutMs,
              () ->
                  expel(
                      connection,
                      "did not authenticate within " + authenticationTimeoutMs + " ms"));
      inside.put(connection, new Entered(peer, deadline));
      if (inside.size() > maxUnauthenticated) {
        victim = oldestOfTheMost();
      }
    }
    if (victim != null) {
      expel(victim, "is one of more than " + maxUnauthenticated + " unauthenticated connections");
    }
  }

  private C oldestOfTheMost() {
    Map<Object, Integer> counts = new HashMap<>();
    inside.values().forEach(entered -> counts.merge(entered.peer(), 1, Integer::sum));
    int most = counts.values().stream().max(Integer::compare).orElseThrow();
    return inside.entrySet().stream()
        .filter(each -> counts.get(each.getValue().peer()) == most)
        .findFirst()
        .orElseThrow()
        .getKey();
  }

  private void expel(C connection, String reason) {
    if (leave(connection)) {
      expelled.increment();
      end.accept(connection, reason);
    }
  }

  /**
   * Removes a connection that has authenticated or ended.
   *
   * @return false if it was removed before, because this limit ended it
   */
  public synchronized boolean leave(C connection) {
    Entered left = inside.remove(connection);
    if (left != null) {
      left.deadline().cancel();
    }
    return left != null;
  }

  /** The number of connections that this limit ended. */
  public long expelled() {
    return expelled.sum();
  }
}
