package io.sluice.spark.read;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.sluice.node.wire.NodeAddress;
import java.net.InetSocketAddress;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

class PeerContactsTest {
  private static final long STEP_NS = TimeUnit.SECONDS.toNanos(30);
  private static final NodeAddress SILENT = pool("silent", 1);
  private static final NodeAddress HEALTHY = pool("healthy", 2);

  private final Deque<Runnable> first = new ArrayDeque<>();
  private final Deque<Runnable> others = new ArrayDeque<>();
  private final List<String> begun = new ArrayList<>();
  private long nowNs = Long.MAX_VALUE - STEP_NS; // the clock may run over
  private final PeerContacts contacts =
      new PeerContacts(first::add, others::add, 6 * STEP_NS, () -> nowNs);

  private static NodeAddress pool(String name, int port) {
    return new NodeAddress(name, InetSocketAddress.createUnresolved(name, port));
  }

  private void submit(NodeAddress pool, String name, Runnable fetch) {
    contacts.submit(
        Set.of(pool),
        () -> {
          begun.add(name);
          fetch.run();
        });
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
    assertTrue(contacts.isLeftAlone(SILENT));
    assertFalse(contacts.isLeftAlone(HEALTHY));
  }

  /**
   * No thread was to be had for the first fetch: it fails, and the next one is not kept waiting.
   */
  @Test
  void aFetchThatCannotBeginKeepsNoOtherWaiting() {
    Deque<Runnable> later = new ArrayDeque<>();
    boolean[] hasThread = {false};
    PeerContacts withoutThreads =
        new PeerContacts(
            task -> {
              if (!hasThread[0]) {
                throw new OutOfMemoryError("no thread");
              }
              later.add(task);
            },
            others::add,
            STEP_NS,
            () -> nowNs);
    assertThrows(
        OutOfMemoryError.class,
        () -> withoutThreads.submit(Set.of(HEALTHY), () -> begun.add("one")));
    hasThread[0] = true;
    withoutThreads.submit(Set.of(HEALTHY), () -> begun.add("two"));
    later.remove().run();
    assertEquals(List.of("two"), begun);
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
      assertTrue(contacts.isLeftAlone(SILENT));
      nowNs++;
      assertFalse(contacts.isLeftAlone(SILENT));
    }
    submit(SILENT, "fetch", () -> contacts.answered(SILENT));
    runAll();
    submit(SILENT, "fetch", this::failAfterAStep);
    runAll();
    nowNs += STEP_NS;
    assertFalse(contacts.isLeftAlone(SILENT), "it had answered");
  }

  @Test
  void whereNobodyElseHasItsBlocksAPoolIsAskedAgainAtOnce() {
    PeerContacts alone = new PeerContacts(first::add, others::add, 0, () -> nowNs);
    long beganNs = nowNs;
    nowNs += STEP_NS;
    alone.failed(SILENT, beganNs);
    assertFalse(alone.isLeftAlone(SILENT));
    alone.submit(Set.of(SILENT), () -> {});
    alone.submit(Set.of(SILENT), () -> {});
    assertEquals(1, first.size(), "by one fetch");
  }

  @Test
  void failuresAtTheSameTimeAreOne() {
    long beganNs = nowNs;
    nowNs += STEP_NS;
    assertTrue(contacts.failed(SILENT, beganNs));
    assertFalse(contacts.failed(SILENT, beganNs));
    nowNs += STEP_NS;
    assertFalse(contacts.isLeftAlone(SILENT));
  }

  @Test
  void aPoolThatRefusesAtOnceIsAskedAgain() {
    submit(SILENT, "fetch", () -> assertTrue(contacts.failed(SILENT, nowNs)));
    runAll();
    assertFalse(contacts.isLeftAlone(SILENT));
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
