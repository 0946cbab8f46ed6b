package io.sluice.it.lab.plugs;

import io.sluice.it.lab.Guest;
import io.sluice.it.lab.LabException;
import java.time.Duration;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;

/**
 * What {@link PlugsProgram} says on the console of one guest.
 *
 * <p>Thread contract: lines come from the console's thread, one other waits. Failure: {@link
 * LabException} if the program failed, the guest ended, or the deadline passed, with the end of the
 * console.
 */
final class GuestEvents {
  private static final long LOOK_EVERY_MS = 500;

  private final BlockingQueue<String> events = new LinkedBlockingQueue<>();
  private final long deadlineNs;

  GuestEvents(Duration deadline) {
    this.deadlineNs = System.nanoTime() + deadline.toNanos();
  }

  /** Takes a line of the console. */
  void line(String line) {
    int start = line.indexOf(PlugsProgram.EVENT);
    if (start >= 0) {
      events.add(line.substring(start).stripTrailing());
    }
  }

  /** Waits for an event; others before it are passed over. */
  void await(Guest guest, String wanted) {
    for (String event = ""; !event.equals(wanted); event = next(guest, deadlineNs)) {
      check(guest, event);
    }
  }

  /** Lets time pass, in which nothing may fail. */
  void pass(Guest guest, Duration duration) {
    long endNs = System.nanoTime() + duration.toNanos();
    while (System.nanoTime() < endNs) {
      check(guest, next(guest, Math.min(endNs, deadlineNs)));
    }
  }

  /** The next event, or an empty one if none comes soon. */
  private String next(Guest guest, long endNs) {
    long leftMs = TimeUnit.NANOSECONDS.toMillis(endNs - System.nanoTime());
    try {
      String event =
          events.poll(Math.max(1, Math.min(leftMs, LOOK_EVERY_MS)), TimeUnit.MILLISECONDS);
      return event == null ? "" : event;
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new LabException("interrupted while a guest was running", e);
    }
  }

  private void check(Guest guest, String event) {
    if (event.startsWith(PlugsProgram.FAILED)) {
      throw new LabException("the writer in the guest " + event + "\n" + guest.tail());
    }
    if (event.isEmpty() && events.isEmpty() && !guest.isAlive()) {
      throw new LabException("the guest ended by itself:\n" + guest.tail());
    }
    if (System.nanoTime() > deadlineNs) {
      throw new LabException("the guest did not get there in time:\n" + guest.tail());
    }
  }
}
