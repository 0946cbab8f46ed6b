package io.sluice.workloads.run;

import java.math.BigDecimal;

/**
 * Numbers with a fixed count of decimals, as whole multiples of the smallest one. Sums of longs do
 * not depend on their order, and those of doubles do: so a sum that combiners and reducers make is
 * made of these, and the outputs of all engines are the same to the last bit.
 *
 * <p>Thread contract: immutable.
 */
public final class Decimal {
  /** Millionths. */
  public static final Decimal MICRO = new Decimal(6);

  /** Thousand millionths. */
  public static final Decimal NANO = new Decimal(9);

  private final int digits;
  private final long one;

  private Decimal(int digits) {
    this.digits = digits;
    this.one = BigDecimal.TEN.pow(digits).longValueExact();
  }

  /** What 1 is. */
  public long one() {
    return one;
  }

  /** The nearest multiple, if it fits a long at all. */
  public long of(double value) {
    double units = value * one;
    if (!(Math.abs(units) < Long.MAX_VALUE)) {
      throw new ArithmeticException(value + " with " + digits + " decimals does not fit a long");
    }
    return Math.round(units);
  }

  /** The double next to it. */
  public double toDouble(long units) {
    return (double) units / one;
  }

  /** With all decimals. */
  public String format(long units) {
    StringBuilder text = new StringBuilder();
    append(text, units);
    return text.toString();
  }

  /** The same, behind what is there. */
  public void append(StringBuilder text, long units) {
    if (units < 0) {
      text.append('-');
    }
    text.append(Math.abs(units / one)).append('.');
    String fraction = Long.toString(Math.abs(units % one));
    text.append("0".repeat(digits - fraction.length())).append(fraction);
  }

  /**
   * What {@link #format} wrote, or with fewer decimals.
   *
   * @throws NumberFormatException if it is not such a number, has more decimals or does not fit
   */
  public long parse(String text) {
    int point = text.indexOf('.');
    if (point < 0) {
      return Math.multiplyExact(Long.parseLong(text), one);
    }
    int missing = digits - (text.length() - point - 1);
    if (missing < 0) {
      throw new NumberFormatException(text + " has more than " + digits + " decimals");
    }
    // Without the point: a whole part of -0 has no sign by itself.
    return Long.parseLong(
        text.substring(0, point) + text.substring(point + 1) + "0".repeat(missing));
  }
}
