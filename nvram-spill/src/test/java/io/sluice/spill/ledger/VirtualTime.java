package io.sluice.spill.ledger;

import java.util.Comparator;
import java.util.PriorityQueue;

/** A clock that jumps to whatever comes next. */
final class VirtualTime {
  private final PriorityQueue<Event> events =
      new PriorityQueue<>(Comparator.comparingLong(Event::atMs).thenComparingLong(Event::number));
  private long nowMs;
  private long number;

  private record Event(long atMs, long number, Runnable what) {}

  long nowMs() {
    return nowMs;
  }

  void in(long ms, Runnable what) {
    events.add(new Event(nowMs + ms, number++, what));
  }

  /** Does what comes next; false if nothing does. */
  boolean step() {
    Event next = events.poll();
    if (next == null) {
      return false;
    }
    nowMs = next.atMs();
    next.what().run();
    return true;
  }
}
