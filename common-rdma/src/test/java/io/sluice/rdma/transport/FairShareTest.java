package io.sluice.rdma.transport;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.sluice.rdma.testing.FailingKey;
import org.junit.jupiter.api.Test;

class FairShareTest {
  private static int takeAll(FairShare places, Object sharer) {
    int taken = 0;
    while (places.take(sharer)) {
      taken++;
    }
    return taken;
  }

  @Test
  void oneWhoIsAloneLeavesAQuarterAndTheNextOnesPartOfThat() {
    FairShare places = new FairShare(64);
    assertEquals(48, takeAll(places, "ann"));
    assertEquals(12, takeAll(places, "bob"));
    assertEquals(3, takeAll(places, "eve"));
    assertEquals(1, takeAll(places, "joe"));
    assertEquals(0, takeAll(places, "sue"), "there is none");
    assertEquals(64, places.taken());
  }

  @Test
  void whatOneGivesBackAnotherMayHave() {
    FairShare places = new FairShare(8);
    assertEquals(6, takeAll(places, "ann"));
    for (int i = 0; i < 4; i++) {
      places.giveBack("ann");
    }
    assertEquals(5, takeAll(places, "bob"));
    assertTrue(places.take("ann"), "one is free, and she has two");
    assertFalse(places.take("bob"), "there is none");
  }

  @Test
  void whoSharesWithNobodyMayHaveAll() {
    FairShare places = new FairShare(8);
    assertEquals(8, takeAll(places, null));
    places.giveBack(null);
    assertTrue(places.take(null));
    assertEquals(8, places.taken());
  }

  @Test
  void theFewestPlacesCanBeHad() {
    assertEquals(1, takeAll(new FairShare(1), "ann"));
    assertEquals(2, takeAll(new FairShare(2), "ann"));
    assertEquals(3, takeAll(new FairShare(3), "ann"));
    assertEquals(3, takeAll(new FairShare(4), "ann"));
  }

  @Test
  void whatFailsTakesNone() {
    FairShare places = new FairShare(4);
    assertThrows(OutOfMemoryError.class, () -> places.take(new FailingKey()));
    assertEquals(0, places.taken());
  }
}
