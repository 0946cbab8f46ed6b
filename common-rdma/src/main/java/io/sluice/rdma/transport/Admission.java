package io.sluice.rdma.transport;

import java.net.InetAddress;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;

/**
 * Decides which clients may connect to a server endpoint, and how many at a time.
 *
 * <p>A client authenticates on its control connection first, and then is expected: a place is
 * reserved for it for a short time. It then shows its ticket or, if a transport carries none,
 * connects from an address that it has named. So an endpoint never refuses an expected client, and
 * accepts no other.
 *
 * <p>If no place is free, a client takes over the place of the same sharer's connection that was
 * idle for longest, if that is at least a second. That connection ends. A reader keeps an idle
 * connection only to save a later one, and connects again when it needs to.
 *
 * <p>An open admission accepts any client, up to its limit: for tests, trials and probes.
 *
 * <p>Thread contract: safe from any thread. A connection is ended on the thread that expects its
 * successor, under no lock of this class. Failure: none; a full endpoint is a normal answer.
 */
public final class Admission {
  /** How long a place is reserved for an expected client. */
  public static final long EXPECTED_MS = 30_000;

  /** How long an idle connection keeps its place: it may be about to be used. */
  static final long IDLE_NS = TimeUnit.SECONDS.toNanos(1);

  private final ConnectionLimits limits;
  private final boolean open;
  private final LongSupplier nanoClock;
  private final Map<Ticket, Expected> expected = new ConcurrentHashMap<>(); // changed under this
  private final FairShare places; // of connected and expected clients
  private final Map<Place, Long> idleSinceNs = new LinkedHashMap<>(); // the longest idle first
  private int inside;
  private long refused;
  private long strangers;
  private long dropped;

  private record Expected(Object sharer, Set<InetAddress> from, long untilNs) {}

  private Admission(
      ConnectionLimits limits, boolean open, FairShare places, LongSupplier nanoClock) {
    this.limits = limits;
    this.places = places;
    this.open = open;
    this.nanoClock = nanoClock;
  }

  /** Accepts any client. */
  public static Admission open(ConnectionLimits limits) {
    return new Admission(limits, true, new FairShare(limits.maxConnections()), System::nanoTime);
  }

  /** Accepts expected clients. */
  public static Admission expected(ConnectionLimits limits) {
    return expected(limits, System::nanoTime);
  }

  static Admission expected(ConnectionLimits limits, LongSupplier nanoClock) {
    return new Admission(limits, false, new FairShare(limits.maxConnections()), nanoClock);
  }

  /** Accepts expected clients at one of several endpoints that share places. */
  public static Admission expected(ConnectionLimits limits, FairShare places) {
    return expected(limits, places, System::nanoTime);
  }

  /** Accepts expected clients, by a clock in the manner of {@link System#nanoTime}. */
  public static Admission expected(
      ConnectionLimits limits, FairShare places, LongSupplier nanoClock) {
    return new Admission(limits, false, places, nanoClock);
  }

  /** The place of one connection, from its beginning to its end. */
  public final class Place {
    private final Object sharer;
    private Runnable end;
    private boolean left; // guarded by the admission, like the next fields

    private Place(Object sharer) {
      this.sharer = sharer;
    }

    /**
     * Marks the connection as idle. Until {@link #used}, another one may take over its place.
     *
     * @param end ends the connection in that case
     */
    public void idle(Runnable end) {
      synchronized (Admission.this) {
        if (!left) {
          this.end = end;
          idleSinceNs.put(this, nanoClock.getAsLong());
        }
      }
    }

    /**
     * Marks the connection as used.
     *
     * @return whether it still has this place
     */
    public boolean used() {
      synchronized (Admission.this) {
        idleSinceNs.remove(this);
        return !left;
      }
    }

    /** Gives up the place, because the connection has ended; idempotent. */
    public void leave() {
      synchronized (Admission.this) {
        if (!left) {
          left = true;
          idleSinceNs.remove(this);
          inside--;
          places.giveBack(sharer);
        }
      }
    }
  }

  /** The limits on the number of connections and on their idle time. */
  public ConnectionLimits limits() {
    return limits;
  }

  /** Whether it accepts any client. */
  public boolean isOpen() {
    return open;
  }

  /**
   * Reserves a place for one connection.
   *
   * @param sharer the owner of the connection, with whom places are shared by {@link FairShare};
   *     else null
   * @param from the addresses from which it may come
   * @return the ticket to show; empty if no place is free now
   */
  public Optional<Ticket> expect(Object sharer, Set<InetAddress> from) {
    Ticket ticket = Ticket.random();
    Place former = null;
    synchronized (this) {
      forgetLate();
      if (!places.take(sharer)) {
        former = takeIdle(sharer);
        if (former == null) {
          refused++;
          return Optional.empty();
        }
      }
      expected.put(
          ticket,
          new Expected(
              sharer,
              Set.copyOf(from),
              nanoClock.getAsLong() + TimeUnit.MILLISECONDS.toNanos(EXPECTED_MS)));
    }
    if (former != null) {
      former.end.run();
    }
    return Optional.of(ticket);
  }

  /** Takes the place of a sharer's connection that was idle for longest; null if there is none. */
  private Place takeIdle(Object sharer) {
    for (Iterator<Map.Entry<Place, Long>> each = idleSinceNs.entrySet().iterator();
        each.hasNext(); ) {
      Map.Entry<Place, Long> next = each.next();
      if (nanoClock.getAsLong() - next.getValue() < IDLE_NS) {
        return null; // later ones were idle for less
      }
      Place place = next.getKey();
      if (Objects.equals(place.sharer, sharer)) {
        each.remove();
        place.left = true;
        inside--;
        return place;
      }
    }
    return null;
  }

  /** Releases the places of clients that have not come in time. */
  public synchronized void forgetLate() {
    expected.values().removeIf(this::isGivenUp);
  }

  private boolean isGivenUp(Expected who) {
    boolean late = isLate(who);
    if (late) {
      places.giveBack(who.sharer());
    }
    return late;
  }

  /**
   * Whether a client with a ticket is expected here, or any client is: which of several admissions
   * to ask. It takes no lock and counts nobody; {@link #enter} decides.
   */
  public boolean mayEnter(Ticket shown) {
    return open || expected.containsKey(shown);
  }

  /** Admits a client that shows a ticket. */
  public synchronized Optional<Place> enter(Ticket shown) {
    if (open) {
      return enterOpen();
    }
    Expected who = expected.remove(shown);
    return who == null || isGivenUp(who) ? stranger() : Optional.of(inside(who.sharer()));
  }

  /** Admits a client by its address, over a transport without tickets. */
  public synchronized Optional<Place> enter(InetAddress from) {
    if (open) {
      return enterOpen();
    }
    for (Iterator<Expected> each = expected.values().iterator(); each.hasNext(); ) {
      Expected who = each.next();
      if (who.from().contains(from) && !isLate(who)) {
        each.remove();
        return Optional.of(inside(who.sharer()));
      }
    }
    return stranger();
  }

  private Optional<Place> enterOpen() {
    if (!places.take(null)) {
      refused++;
      return Optional.empty();
    }
    return Optional.of(inside(null));
  }

  private boolean isLate(Expected who) {
    return who.untilNs() - nanoClock.getAsLong() <= 0;
  }

  private Place inside(Object sharer) {
    inside++;
    return new Place(sharer);
  }

  private Optional<Place> stranger() {
    expelled();
    return Optional.empty();
  }

  /**
   * Counts a connection that ended because its peer did not authenticate in time, or was one of too
   * many.
   */
  public synchronized void expelled() {
    strangers++;
  }

  /** Counts a connection that ended because of a malformed or missing message. */
  public synchronized void dropped() {
    dropped++;
  }

  /** Forgets all expected clients, because the endpoint is closed. */
  public synchronized void close() {
    expected.values().forEach(each -> places.giveBack(each.sharer()));
    expected.clear();
  }

  /** The counters of all clients that came. */
  public synchronized ConnectionCounters counters() {
    return new ConnectionCounters(inside, refused, strangers, dropped, 0);
  }
}
