package io.sluice.hadoop.reduce;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.fail;

import io.sluice.hadoop.reduce.FetchFailures.Kind;
import io.sluice.hadoop.testing.TestJob;
import io.sluice.rdma.testing.TestSeed;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import org.apache.hadoop.mapred.TaskAttemptID;
import org.junit.jupiter.api.Test;

/** The clocks of one output and its host, in whatever order its troubles come. */
final class FailureClocksTest {
  private static final TaskAttemptID MAP = TestJob.map(0, 0);
  private static final List<Kind> KINDS =
      List.of(Kind.CONNECT, Kind.UNREACHED, Kind.READ, Kind.WAITED, Kind.OWN);
  private static final long PATIENCE_S = 180;
  private static final long READ_PATIENCE_S = 30;

  private final Random random = TestSeed.random();

  /**
   * What the clocks were told.
   *
   * @param kind of trouble; null: the ShuffleHandler has asked to come later
   */
  private record Event(Kind kind, long ns) {}

  private static boolean isOfHost(Kind kind) {
    return kind == Kind.CONNECT || kind == Kind.UNREACHED;
  }

  private static boolean isSame(Kind kind, Kind other) {
    return kind == other || (isOfHost(kind) && isOfHost(other));
  }

  private static boolean ends(Kind event, Kind kind) {
    return switch (kind) {
      case CONNECT, UNREACHED -> event != Kind.OWN && !isOfHost(event);
      case READ, REFUSED -> event == null || event == Kind.WAITED;
      case WAITED -> false;
      case OWN -> event != null && event != Kind.OWN;
    };
  }

  /** As a fetcher does, who has an answer of the ShuffleHandler in these two cases. */
  private static long ageNs(FailureClocks clocks, Event event) {
    if (event.kind == Kind.READ || event.kind == Kind.WAITED) {
      clocks.answered();
    }
    return clocks.ageNs(MAP, event.kind, event.ns);
  }

  /** From the first of its kind behind what has ended it, without the time of this reduce's own. */
  private static long expectedNs(List<Event> history, Event now) {
    int first = history.size();
    for (int i = first - 1; i >= 0 && !ends(history.get(i).kind, now.kind); i--) {
      if (isSame(history.get(i).kind, now.kind)) {
        first = i;
      }
    }
    long ns = 0;
    for (int i = first; i < history.size(); i++) {
      long untilNs = i + 1 < history.size() ? history.get(i + 1).ns : now.ns;
      if (now.kind == Kind.OWN || !isOwnAt(history, i)) {
        ns += untilNs - history.get(i).ns;
      }
    }
    return ns;
  }

  /** Whether this reduce's own trouble was its last one. */
  private static boolean isOwnAt(List<Event> history, int last) {
    int i = last;
    while (i > 0 && history.get(i).kind == null) {
      i--;
    }
    return history.get(i).kind == Kind.OWN;
  }

  @Test
  void eachClockIsAsOldAsTheHistorySays() {
    for (int round = 0; round < 2_000; round++) {
      FailureClocks clocks = new FailureClocks();
      List<Event> history = new ArrayList<>();
      long nowNs = random.nextLong();
      for (int i = 0; i < 30; i++) {
        nowNs += random.nextLong(1_000);
        int choice = random.nextInt(KINDS.size() + 1);
        Event event = new Event(choice < KINDS.size() ? KINDS.get(choice) : null, nowNs);
        if (event.kind == null) {
          clocks.comeLater(List.of(MAP));
        } else {
          assertEquals(
              expectedNs(history, event), ageNs(clocks, event), event + " after " + history);
        }
        history.add(event);
      }
    }
  }

  /** Else an output would be reported when it was tried for the first time. */
  @Test
  void anOutputThatIsLocatedLaterIsTriedForAsLong() {
    FailureClocks clocks = new FailureClocks();
    TaskAttemptID later = TestJob.map(1, 0);
    assertEquals(0, clocks.ageNs(MAP, Kind.CONNECT, 100));
    assertEquals(50, clocks.ageNs(MAP, Kind.UNREACHED, 150));
    assertEquals(0, clocks.ageNs(later, Kind.CONNECT, 160));
    assertEquals(70, clocks.ageNs(MAP, Kind.CONNECT, 170));
    clocks.failed(List.of(MAP), Kind.CONNECT);
    assertEquals(0, clocks.ageNs(later, Kind.CONNECT, 180), "as stock's next visit");
    assertEquals(10, clocks.ageNs(later, Kind.CONNECT, 190));
    clocks.answered();
    assertEquals(0, clocks.ageNs(later, Kind.CONNECT, 200));
  }

  /** Else an attempt that no service believes, and that a full ShuffleHandler puts off, hangs. */
  @Test
  void aRequestToComeLaterDoesNotEndWhatTheReduceIsAtFaultFor() {
    FailureClocks clocks = new FailureClocks();
    for (long ns = 0; ns < 100; ns += 10) {
      assertEquals(ns, clocks.ageNs(MAP, Kind.OWN, ns));
      clocks.comeLater(List.of(MAP));
    }
  }

  /** One per second, over and over: whatever they are, one of them has gone on for long enough. */
  @Test
  void whateverTroublesAlternateOneIsGivenUp() {
    for (Kind first : KINDS) {
      for (Kind second : KINDS) {
        for (Kind third : KINDS) {
          assertGivenUp(List.of(first, second, third));
        }
      }
    }
    for (int round = 0; round < 200; round++) {
      List<Kind> kinds = new ArrayList<>();
      for (int i = 0; i < 50; i++) {
        kinds.add(KINDS.get(random.nextInt(KINDS.size())));
      }
      assertGivenUp(kinds);
    }
  }

  private static void assertGivenUp(List<Kind> kinds) {
    FailureClocks clocks = new FailureClocks();
    for (int second = 0; second <= kinds.size() * (PATIENCE_S + 1); second++) {
      Kind kind = kinds.get(second % kinds.size());
      Event event = new Event(kind, TimeUnit.SECONDS.toNanos(second));
      long ageS = TimeUnit.NANOSECONDS.toSeconds(ageNs(clocks, event));
      if (ageS >= (kind == Kind.READ ? READ_PATIENCE_S : PATIENCE_S)) {
        return;
      }
    }
    fail("waited for without end: " + kinds);
  }
}
