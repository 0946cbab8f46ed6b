package io.sluice.spill.store;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import org.junit.jupiter.api.Test;

class GenerationCounterTest {
  private final FailingArea area = new FailingArea();

  @Test
  void aSuccessorBeginsAboveWhatWasHandedOut() throws IOException {
    GenerationCounter counter = GenerationCounter.open(area, "here");
    long last = 0;
    for (int i = 0; i < 5_000; i++) {
      long next = counter.next();
      assertTrue(next > last, next + " after " + last);
      last = next;
    }
    assertTrue(GenerationCounter.open(area, "here").next() > last);
  }

  @Test
  void noNumberIsHandedOutAboveABoundThatCouldNotBeWritten() throws IOException {
    GenerationCounter counter = GenerationCounter.open(area, "here");
    area.failAfter(0);
    assertThrows(IOException.class, counter::next);
    long first = counter.next();
    assertEquals(1, first);
    assertTrue(GenerationCounter.open(area, "here").bound() > first, "a successor believes it");
  }
}
