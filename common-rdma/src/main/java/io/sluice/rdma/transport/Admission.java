package io.sluice.rdma.transport;

import java.net.InetAddress;
import java.util.HashMap;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;

/**
 * Who may connect to a server endpoint, and how many at a time.
 *
 * <p>Whoever has proved who it is on another way is expected: a place is kept for it, for a short
 * time. It then shows its ticket, or, where a transport cannot carry one, comes from an address
 * that it has named. So an endpoint never has to refuse one that was told to come, and takes nobody
 * else.
 *
 * <p>When there is no place for one that is to be expected, it gets that of the connection of the
 * same sharer that has been idle for longest, if that is a second at least. A reader keeps an idle
 * connection only to save the next one, and makes another when it is ended.
 *
 * <p>An open one takes anybody, up to its number: for tests, trials and public patterns.
 *
 * <p>Thread contract: safe from any thread; a connection is ended on that of who is expected in its
 * place, under no lock of this. Failure: none of its own; no place is an answer.
 */
public final class Admission {
  /** So long a place is kept for who is expected. */
  public static final long EXPECTED_MS = 30_000;

  /** So long an idle connection keeps its place from others: it may be about to be used. */
  static final long IDLE_NS = TimeUnit.SECONDS.toNanos(1);

  private final ConnectionLimits limits;
  private final boolean open;
  private final LongSupplier nanoClock;
  private final Map<Ticket, Expected> expected = new HashMap<>();
  private final FairShare places; // of those inside and those expected
  private final Map<Place, Long> idleSinceNs = new LinkedHashMap<>(); // longest ago first
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

  /** Takes anybody. */
  public static Admission open(ConnectionLimits limits) {
    return new Admission(limits, true, new FairShare(limits.maxConnections()), System::nanoTime);
  }

  /** Takes who is expected. */
  public static Admission expected(ConnectionLimits limits) {
    return expected(limits, System::nanoTime);
  }

  static Admission expected(ConnectionLimits limits, LongSupplier nanoClock) {
    return new Admission(limits, false, new FairShare(limits.maxConnections()), nanoClock);
  }

  /** The same for one of several endpoints, which share places. */
  public static Admission expected(ConnectionLimits limits, FairShare places) {
    return expected(limits, places, System::nanoTime);
  }

  /** The same by a clock as {@link System#nanoTime} is one. */
  public static Admission expected(
      ConnectionLimits limits, FairShare places, LongSupplier nanoClock) {
    return new Admission(limits, false, places, nanoClock);
  }

  /** The place of one connection, from its beginning to its end. */
  public final class Place {
    private final Object sharer;
    private Runnable end;
    private boolean left; // these are guarded by the admission

    private Place(Object sharer) {
      this.sharer = sharer;
    }

    /**
     * Nothing is asked over the connection now. Until {@link #used} another one may get its place.
     *
     * @param end ends the connection then
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
     * Something was asked over the connection.
     *
     * @return whether it still has this place
     */
    public boolean used() {
      synchronized (Admission.this) {
        idleSinceNs.remove(this);
        return !left;
      }
    }

    /** The connection has ended; further calls do nothing. */
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

  /** How many there may be, and how long one may be idle. */
  public ConnectionLimits limits() {
    return limits;
  }

  /** Whether anybody may come. */
  public boolean isOpen() {
    return open;
  }

  /**
   * Keeps a place for one connection.
   *
   * @param sharer whose it is, where places are shared as {@link FairShare} says; else null
   * @param from the addresses that it may come from
   * @return what to show; empty if there is no place for that one now
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

  /** The place of the connection of a sharer that has been idle for longest; null for none. */
  private Place takeIdle(Object sharer) {
    for (Iterator<Map.Entry<Place, Long>> each = idleSinceNs.entrySet().iterator();
        each.hasNext(); ) {
      Map.Entry<Place, Long> next = each.next();
      if (nanoClock.getAsLong() - next.getValue() < IDLE_NS) {
        return null; // nor are those behind it
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

  /** Gives the places back of those who have not come in time. */
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

  /** Somebody has come and shows this. */
  public synchronized Optional<Place> enter(Ticket shown) {
    if (open) {
      return enterOpen();
    }
    Expected who = expected.remove(shown);
    return who == null || isGivenUp(who) ? stranger() : Optional.of(inside(who.sharer()));
  }

  /** Somebody has come from there, and could show nothing. */
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

  /** A connection was ended whose peer had shown nothing in time, or came in a crowd of such. */
  public synchronized void expelled() {
    strangers++;
  }

  /** A connection was ended because of what its peer sent, or did not send. */
  public synchronized void dropped() {
    dropped++;
  }

  /** Its endpoint is closed: nobody is expected any more. */
  public synchronized void close() {
    expected.values().forEach(each -> places.giveBack(each.sharer()));
    expected.clear();
  }

  /** What became of those who came. */
  public synchronized ConnectionCounters counters() {
    return new ConnectionCounters(inside, refused, strangers, dropped, 0);
  }
}
