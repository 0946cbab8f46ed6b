package io.sluice.it.scenario;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;

class OutputComparisonTest {
  private static final List<String> EXPECTED = List.of("a\t1", "a\t2", "b\t3");

  @Test
  void valuesOfEqualKeysMayComeInAnyOrder() {
    assertEquals(
        Optional.empty(), OutputComparison.difference(EXPECTED, List.of("a\t2", "a\t1", "b\t3")));
  }

  @Test
  void aLostRecordIsNamed() {
    assertEquals(
        Optional.of("2 records, expected 3; such as a\t2 -1 times"),
        OutputComparison.difference(EXPECTED, List.of("a\t1", "b\t3")));
  }

  @Test
  void keysOutOfOrderAreNamed() {
    assertEquals(
        Optional.of("record 1 has key b, expected a"),
        OutputComparison.difference(EXPECTED, List.of("a\t1", "b\t3", "a\t2")));
  }

  @Test
  void aRecordInPlaceOfAnotherIsNamed() {
    assertEquals(
        Optional.of("same keys, other values; such as a\t1 +1 times, a\t2 -1 times"),
        OutputComparison.difference(EXPECTED, List.of("a\t1", "a\t1", "b\t3")));
  }
}
