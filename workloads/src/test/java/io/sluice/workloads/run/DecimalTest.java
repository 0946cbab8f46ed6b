package io.sluice.workloads.run;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import org.junit.jupiter.api.Test;

class DecimalTest {
  @Test
  void whatIsWrittenIsReadAgain() {
    for (long units : new long[] {0, 1, -1, 999_999, -1_000_000, 12_345_678_901L}) {
      assertEquals(units, Decimal.MICRO.parse(Decimal.MICRO.format(units)));
    }
    assertEquals("-0.000001", Decimal.MICRO.format(-1));
    assertEquals("12.000000500", Decimal.NANO.format(12_000_000_500L));
    assertEquals(-2_500_000, Decimal.MICRO.parse("-2.5"));
    assertEquals(3_000_000, Decimal.MICRO.parse("3"));
  }

  @Test
  void aDoubleIsRoundedToTheNearestUnit() {
    assertEquals(333_333, Decimal.MICRO.of(1.0 / 3));
    assertEquals(0.333333, Decimal.MICRO.toDouble(333_333));
  }

  @Test
  void whatDoesNotFitIsNoNumber() {
    assertThrows(ArithmeticException.class, () -> Decimal.NANO.of(1e10));
    assertThrows(ArithmeticException.class, () -> Decimal.NANO.of(Double.NaN));
    assertThrows(NumberFormatException.class, () -> Decimal.MICRO.parse("0.0000001"));
    assertThrows(NumberFormatException.class, () -> Decimal.MICRO.parse("1e3"));
  }
}
