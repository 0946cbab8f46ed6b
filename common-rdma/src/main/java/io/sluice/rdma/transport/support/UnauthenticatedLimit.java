package io.sluice.rdma.transport.support;

import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.BiConsumer;

/**
 * The connections of a server whose peers have proved nothing yet: few, and not for long.
 *
 * <p>When there are too many, the oldest of the peer that has the most of them is ended. So nobody
 * who can connect at all keeps another one from proving itself: a host that opens thousands of
 * connections ends its own.
 *
 * <p>Differs from the bound on proved connections in that nobody is refused here; whoever comes may
 * speak, for as long as its deadline and the crowd allow.
 *
 * <p>Thread contract: safe from any thread; {@code end} runs on that of whoever enters, or of the
 * deadlines, under no lock, and must not wait. Ownership: the connections stay the server's.
 *
 * @param <C> a connection
 */
public final class UnauthenticatedLimit<C> {
  private final int maxUnproved;
  private final long proofTimeoutMs;
  private final Deadlines deadlines;
  private final BiConsumer<C, String> end;
  private final Map<C, Entered> inside = new LinkedHashMap<>(); // the oldest first
  private final LongAdder expelled = new LongAdder();

  private record Entered(Object peer, Deadlines.Deadline deadline) {}

  /**
   * Nobody is inside yet.
   *
   * @param end ends a connection, for the reason it is given
   */
  public UnauthenticatedLimit(
      int maxUnproved, long proofTimeoutMs, Deadlines deadlines, BiConsumer<C, String> end) {
    this.maxUnproved = maxUnproved;
    this.proofTimeoutMs = proofTimeoutMs;
    this.deadlines = deadlines;
    this.end = end;
  }

  /**
   * A connection was accepted.
   *
   * @param peer who it comes from, as far as can be told
   */
  public void enter(C connection, Object peer) {
    C victim = null;
    synchronized (this) {
      Deadlines.Deadline deadline =
          deadlines.after(
              proofTimeoutMs,
              () -> expel(connection, "has proved nothing within " + proofTimeoutMs + " ms"));
      inside.put(connection, new Entered(peer, deadline));
      if (inside.size() > maxUnproved) {
        victim = oldestOfTheMost();
      }
    }
    if (victim != null) {
      expel(victim, "is one of more than " + maxUnproved + " that have proved nothing");
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
   * A connection has proved itself, or ended.
   *
   * @return false if it was not inside any more: then it was ended from here
   */
  public synchronized boolean leave(C connection) {
    Entered left = inside.remove(connection);
    if (left != null) {
      left.deadline().cancel();
    }
    return left != null;
  }

  /** How many were ended from here. */
  public long expelled() {
    return expelled.sum();
  }
}
