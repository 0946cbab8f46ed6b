package io.sluice.spark.read;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.sluice.node.wire.NodeAddress;
import java.net.InetSocketAddress;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.Executor;
import java.util.concurrent.FutureTask;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

class PeerContactsTest {
  private static final long STEP_NS = TimeUnit.SECONDS.toNanos(30);
  private static final NodeAddress SILENT = pool("silent", 1);
  private static final NodeAddress HEALTHY = pool("healthy", 2);

  private final Deque<Runnable> first = new ArrayDeque<>();
  private final Deque<Runnable> others = new ArrayDeque<>();
  private final Deque<Deadline> deadlines = new ArrayDeque<>();
  private final List<String> begun = new ArrayList<>();
  private long nowNs = Long.MAX_VALUE - STEP_NS; // the clock may run over
  private final PeerContacts contacts = contacts(first::add, others::add, 6 * STEP_NS);

  /** With when it comes. */
  private static final class Deadline extends FutureTask<Void> {
    private final long delayNs;

    Deadline(Runnable work, long delayNs) {
      super(work, null);
      this.delayNs = delayNs;
    }
  }

  private PeerContacts contacts(Executor forFirst, Executor forOthers, long longestPauseNs) {
    return new PeerContacts(
        forFirst,
        forOthers,
        (work, delayNs) -> {
          Deadline deadline = new Deadline(work, delayNs);
          deadlines.add(deadline);
          return deadline;
        },
        STEP_NS,
        longestPauseNs,
        () -> nowNs);
  }

  private static NodeAddress pool(String name, int port) {
    return new NodeAddress(name, InetSocketAddress.createUnresolved(name, port));
  }

  private void submit(NodeAddress pool, String name, Runnable fetch) {
    contacts.submit(Set.of(pool), fetch(name, fetch));
  }

  private PeerContacts.Fetch fetch(String name, Runnable run) {
    return new PeerContacts.Fetch() {
      @Override
      public void run() {
        begun.add(name);
        run.run();
      }

      @Override
      public void leave(Throwable why) {
        begun.add(name + " left: " + why.getMessage());
      }
    };
  }

  /** A fetch that asks the silent pool. */
  private void submitAsking(Set<NodeAddress> pools, String name, Runnable then) {
    PeerContacts.Fetch[] self = new PeerContacts.Fetch[1];
    self[0] =
        fetch(
            name,
            () -> {
              contacts.asks(SILENT, self[0]);
              then.run();
            });
    contacts.submit(pools, self[0]);
  }

  private boolean isLeftAlone(NodeAddress pool) {
    return contacts.isLeftAlone(pool, nowNs);
  }

  private void failAfterAStep() {
    long beganNs = nowNs;
    nowNs += STEP_NS;
    contacts.failed(SILENT, beganNs);
  }

  private void runAll() {
    while (!first.isEmpty() || !others.isEmpty()) {
      (first.isEmpty() ? others : first).remove().run();
    }
  }

  @Test
  void fetchesFromAPoolThatIsAskedForTheFirstTimeWaitWithoutAThread() {
    for (int i = 0; i < 48; i++) {
      submit(SILENT, "fetch " + i, i == 0 ? this::failAfterAStep : () -> {});
    }
    submit(HEALTHY, "healthy", () -> {});
    assertEquals(2, first.size());
    assertEquals(0, others.size());
    first.remove().run();
    assertEquals(47, others.size(), "they find out that it does not answer");
    assertTrue(isLeftAlone(SILENT));
    assertFalse(isLeftAlone(HEALTHY));
  }

  /** No thread was to be had for the first fetch, or for those that waited for it. */
  @Test
  void aFetchThatCannotBeginIsToldSoAndKeepsNoOtherWaiting() {
    boolean[] hasThread = {false};
    Executor scarce =
        task -> {
          if (!hasThread[0]) {
            throw new OutOfMemoryError("no thread");
          }
          others.add(task);
        };
    PeerContacts withoutThreads = contacts(scarce, scarce, STEP_NS);
    withoutThreads.submit(Set.of(HEALTHY), fetch("one", () -> {}));
    hasThread[0] = true;
    for (String name : List.of("two", "three", "four")) {
      withoutThreads.submit(Set.of(HEALTHY), fetch(name, () -> withoutThreads.answered(HEALTHY)));
    }
    hasThread[0] = false;
    others.remove().run();
    assertEquals(
        List.of("one left: no thread", "two", "three left: no thread", "four left: no thread"),
        begun);
  }

  /** One of those that waited fails as it is told, for the rest of its task has ended. */
  @Test
  void aFetchThatFailsAsItIsToldKeepsNoOtherWaiting() {
    PeerContacts stopped =
        contacts(
            first::add,
            task -> {
              throw new RejectedExecutionException("stopped");
            },
            STEP_NS);
    stopped.submit(Set.of(HEALTHY), fetch("one", () -> stopped.answered(HEALTHY)));
    stopped.submit(
        Set.of(HEALTHY),
        new PeerContacts.Fetch() {
          @Override
          public void run() {}

          @Override
          public void leave(Throwable why) {
            throw new IllegalStateException("expected by this test");
          }
        });
    stopped.submit(Set.of(HEALTHY), fetch("three", () -> {}));
    first.remove().run();
    assertEquals(List.of("one", "three left: stopped"), begun);
  }

  @Test
  void fetchesThatWaitGoOnWithTheFirstAnswer() {
    submit(
        HEALTHY,
        "first",
        () -> {
          contacts.answered(HEALTHY); // by the first of its blocks
          assertEquals(2, others.size());
        });
    submit(HEALTHY, "second", () -> {});
    submit(HEALTHY, "third", () -> {});
    first.remove().run();
    assertEquals(2, others.size());
  }

  /** Its task ended before it began, say. */
  @Test
  void aFetchThatAsksNothingSaysNothingOfItsPool() {
    submit(SILENT, "asks nothing", () -> {});
    first.remove().run();
    submit(SILENT, "first", this::failAfterAStep);
    submit(SILENT, "second", () -> {});
    assertEquals(1, first.size(), "one asks it");
    assertEquals(0, others.size());
  }

  @Test
  void fetchesThatWaitShareAFailureAlsoWhereAPoolIsAskedAgainAtOnce() {
    PeerContacts alone = contacts(first::add, others::add, 0);
    long submittedNs = nowNs;
    for (int i = 0; i < 48; i++) {
      alone.submit(
          Set.of(SILENT),
          fetch(
              "fetch " + i,
              () -> {
                long beganNs = nowNs;
                nowNs += STEP_NS;
                alone.failed(SILENT, beganNs);
              }));
    }
    first.remove().run();
    assertEquals(0, first.size(), "nobody asks it again");
    assertEquals(47, others.size(), "they find out that it does not answer");
    assertTrue(alone.isLeftAlone(SILENT, submittedNs));
    assertFalse(alone.isLeftAlone(SILENT, nowNs + 1));
    alone.submit(Set.of(SILENT), fetch("later", () -> {}));
    alone.answered(SILENT);
    assertFalse(alone.isLeftAlone(SILENT, submittedNs), "it answers again");
  }

  /** Such as a block that is damaged: it may be the only one. */
  @Test
  void aFailureThatTookNoTimeIsNotShared() {
    PeerContacts alone = contacts(first::add, others::add, 0);
    for (String name : List.of("one", "two", "three")) {
      alone.submit(Set.of(SILENT), fetch(name, () -> alone.failed(SILENT, nowNs)));
    }
    for (int i = 0; i < 3; i++) {
      assertEquals(1, first.size());
      first.remove().run();
    }
    assertEquals(List.of("one", "two", "three"), begun);
  }

  @Test
  void fetchesThatWaitDoWithoutAPoolThatHasNotAnsweredInTime() {
    List<Boolean> alone = new ArrayList<>();
    long submittedNs = nowNs;
    submitAsking(
        Set.of(SILENT),
        "hangs",
        () -> {
          nowNs += STEP_NS;
          deadlines.remove().run();
          assertEquals(1, others.size(), "goes on");
          others.remove().run();
          contacts.answered(SILENT);
        });
    submit(SILENT, "waits", () -> alone.add(contacts.isLeftAlone(SILENT, submittedNs)));
    first.remove().run();
    assertEquals(List.of("hangs", "waits"), begun);
    assertEquals(List.of(true), alone);
    assertFalse(contacts.isLeftAlone(SILENT, submittedNs), "it has answered after all");
  }

  @Test
  void aDeadlineSaysNothingOfAPoolThatHasAnswered() {
    submit(HEALTHY, "first", () -> contacts.answered(HEALTHY));
    runAll();
    nowNs += STEP_NS;
    deadlines.remove().run();
    assertFalse(isLeftAlone(HEALTHY));
  }

  /** Else it would keep what the fetches hold until it comes. */
  @Test
  void aDeadlineIsCancelledWithTheFirstAnswer() {
    submit(HEALTHY, "first", () -> contacts.answered(HEALTHY));
    runAll();
    assertTrue(deadlines.remove().isCancelled());
  }

  @Test
  void aPoolHasItsTimeFromWhenItWasAskedOrHeardFrom() {
    PeerContacts.Fetch[] self = new PeerContacts.Fetch[1];
    self[0] =
        fetch(
            "first",
            () -> {
              nowNs += STEP_NS / 3;
              contacts.asks(SILENT, self[0]);
              nowNs += STEP_NS / 3;
              contacts.asks(SILENT, self[0]);
              nowNs += STEP_NS / 3;
              contacts.asks(SILENT, fetch("another", () -> {})); // says nothing of this one
              deadlines.remove().run();
              assertEquals(0, others.size(), "waits");
              assertEquals(STEP_NS / 3 * 2, deadlines.element().delayNs);
              nowNs += STEP_NS / 3 * 2;
              deadlines.remove().run();
              assertEquals(1, others.size(), "goes on");
            });
    contacts.submit(Set.of(SILENT), self[0]);
    submit(SILENT, "waits", () -> {});
    first.remove().run();
    assertTrue(isLeftAlone(SILENT));
  }

  /** It is at a pool that gives it much, or does not answer any more. */
  @Test
  void whereAnotherPoolKeepsTheFirstFetchTheNextOneAsks() {
    contacts.answered(HEALTHY);
    Set<NodeAddress> both = new LinkedHashSet<>(List.of(HEALTHY, SILENT));
    contacts.submit(
        both,
        fetch(
            "kept",
            () -> {
              nowNs += STEP_NS;
              deadlines.remove().run();
              assertEquals(1, first.size(), "the next one asks");
            }));
    submit(SILENT, "next", () -> contacts.answered(SILENT));
    submit(SILENT, "last", () -> {});
    first.remove().run();
    assertFalse(isLeftAlone(SILENT), "nobody has asked it");
    runAll();
    assertEquals(List.of("kept", "next", "last"), begun);
  }

  @Test
  void aPoolThatAnswersIsAskedByAllAtOnce() {
    submit(HEALTHY, "first", () -> contacts.answered(HEALTHY));
    runAll();
    submit(HEALTHY, "second", () -> {});
    submit(HEALTHY, "third", () -> {});
    assertEquals(0, first.size());
    assertEquals(2, others.size());
  }

  @Test
  void aPoolThatFailsAgainIsLeftAloneTwiceAsLong() {
    for (long pauseNs : List.of(STEP_NS, 2 * STEP_NS, 4 * STEP_NS, 6 * STEP_NS)) {
      submit(SILENT, "fetch", this::failAfterAStep);
      assertEquals(1, first.size(), "one asks it");
      runAll();
      nowNs += pauseNs - 1;
      assertTrue(isLeftAlone(SILENT));
      nowNs++;
      assertFalse(isLeftAlone(SILENT));
    }
    submit(SILENT, "fetch", () -> contacts.answered(SILENT));
    runAll();
    submit(SILENT, "fetch", this::failAfterAStep);
    runAll();
    nowNs += STEP_NS;
    assertFalse(isLeftAlone(SILENT), "it had answered");
  }

  @Test
  void whereNobodyElseHasItsBlocksAPoolIsAskedAgainAtOnce() {
    PeerContacts alone = contacts(first::add, others::add, 0);
    long beganNs = nowNs;
    nowNs += STEP_NS;
    alone.failed(SILENT, beganNs);
    assertFalse(alone.isLeftAlone(SILENT, nowNs + 1));
    nowNs++;
    alone.submit(Set.of(SILENT), fetch("one", () -> {}));
    alone.submit(Set.of(SILENT), fetch("two", () -> {}));
    assertEquals(1, first.size(), "by one fetch");
  }

  @Test
  void failuresAtTheSameTimeAreOne() {
    long beganNs = nowNs;
    nowNs += STEP_NS;
    assertTrue(contacts.failed(SILENT, beganNs));
    assertFalse(contacts.failed(SILENT, beganNs));
    nowNs += STEP_NS;
    assertFalse(isLeftAlone(SILENT));
  }

  @Test
  void aPoolThatRefusesAtOnceIsAskedAgain() {
    submit(SILENT, "fetch", () -> assertTrue(contacts.failed(SILENT, nowNs)));
    runAll();
    assertFalse(isLeftAlone(SILENT));
    submit(SILENT, "fetch", () -> assertFalse(contacts.failed(SILENT, nowNs), "said before"));
    assertEquals(1, first.size());
    runAll();
  }

  @Test
  void aFetchThatDiesLetsTheOthersAsk() {
    submit(
        SILENT,
        "dies",
        () -> {
          throw new AssertionError("expected by this test");
        });
    submit(SILENT, "next", () -> {});
    try {
      first.remove().run();
    } catch (AssertionError expected) {
      assertEquals("expected by this test", expected.getMessage());
    }
    runAll();
    assertEquals(List.of("dies", "next"), begun);
  }
}
