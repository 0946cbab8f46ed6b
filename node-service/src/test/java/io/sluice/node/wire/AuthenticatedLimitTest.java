package io.sluice.node.wire;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.sluice.rdma.testing.FailingKey;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class AuthenticatedLimitTest {
  private long nowNs = Long.MAX_VALUE; // it runs over
  private final List<String> ended = new ArrayList<>();
  private final AuthenticatedLimit<String> places =
      new AuthenticatedLimit<>(3, () -> nowNs, ended::add);

  private void takeAll() {
    for (String each : List.of("a", "b", "c")) {
      assertTrue(places.take(each, null));
    }
    assertFalse(places.take("d", null));
  }

  private void aWhileLater() {
    nowNs += AuthenticatedLimit.KEPT_NS;
  }

  @Test
  void whoIsUnusedForLongestLosesItsPlace() {
    takeAll();
    places.unused("b");
    places.unused("a");
    places.unused("c");
    assertTrue(places.used("b"));
    places.unused("b");
    aWhileLater();
    assertTrue(places.take("d", null));
    assertTrue(places.take("e", null));
    assertEquals(List.of("a", "c"), ended);
    assertEquals(3, places.taken());
  }

  @Test
  void whoWasUsedJustNowKeepsIt() {
    takeAll();
    places.unused("a");
    aWhileLater();
    places.unused("b");
    assertTrue(places.take("d", null));
    assertFalse(places.take("e", null));
    nowNs += AuthenticatedLimit.KEPT_NS - 1;
    assertFalse(places.take("e", null));
    nowNs++;
    assertTrue(places.take("e", null));
    assertEquals(List.of("a", "b"), ended);
  }

  @Test
  void whoIsUsedKeepsIt() {
    takeAll();
    places.unused("b");
    aWhileLater();
    assertTrue(places.used("b"));
    assertFalse(places.take("d", null));
    places.leave("c");
    assertTrue(places.take("d", null));
    assertEquals(List.of(), ended);
  }

  @Test
  void whoHasLostItHasNone() {
    takeAll();
    places.unused("a");
    aWhileLater();
    assertTrue(places.take("d", null));
    assertFalse(places.used("a"));
    places.unused("a");
    places.leave("a");
    assertEquals(3, places.taken());
    aWhileLater();
    assertFalse(places.take("e", null));
  }

  /** However few are left to its sharer: the place changes hands, and no other one is taken. */
  @Test
  void aPlaceGoesToTheSameSharerAlone() {
    assertTrue(places.take("ann", "Ann"));
    assertTrue(places.take("bob", "Bob"));
    assertTrue(places.take("bob 2", "Bob"));
    places.unused("ann");
    places.unused("bob");
    aWhileLater();
    assertTrue(places.take("bob 3", "Bob"));
    assertEquals(List.of("bob"), ended);
    assertFalse(places.take("bob 4", "Bob"));
    assertEquals(3, places.taken());
    places.leave("bob 3");
    places.leave("bob 2");
    places.leave("ann");
    assertEquals(0, places.taken());
  }

  @Test
  void whatFailsTakesNone() {
    assertThrows(OutOfMemoryError.class, () -> places.take("z", new FailingKey()));
    assertEquals(0, places.taken());
    places.leave("z");
    takeAll();
  }
}
