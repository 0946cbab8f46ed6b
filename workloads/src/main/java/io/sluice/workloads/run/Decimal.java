package io.sluice.workloads.run;

import java.math.BigDecimal;

/**
 * Numbers with a fixed number of decimals, as longs that count the smallest unit. A sum of longs
 * does not depend on its order, as a sum of doubles does. So combiners and reducers add these, and
 * the outputs of all engines are equal to the last bit.
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

  /** The units of 1. */
  public long one() {
    return one;
  }

  /** The nearest number of units; fails if it does not fit a long. */
  public long of(double value) {
    double units = value * one;
    if (!(Math.abs(units) < Long.MAX_VALUE)) {
      throw new ArithmeticException(value + " with " + digits + " decimals does not fit a long");
    }
    return Math.round(units);
  }

  /** The nearest double. */
  public double toDouble(long units) {
    return (double) units / one;
  }

  /** The text, with all decimals. */
  public String format(long units) {
    StringBuilder text = new StringBuilder();
    append(text, units);
    return text.toString();
  }

  /** Appends the same. */
  public void append(StringBuilder text, long units) {
    if (units < 0) {
      text.append('-');
    }
    text.append(Math.abs(units / one)).append('.');
    String fraction = Long.toString(Math.abs(units % one));
    text.append("0".repeat(digits - fraction.length())).append(fraction);
  }

  /**
   * Parses a text of {@link #format}, or one with fewer decimals.
   *
   * @throws NumberFormatException if it is no such number, has more decimals or does not fit
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
    // Without the point, because a whole part of -0 alone would lose its sign.
    return Long.parseLong(
        text.substring(0, point) + text.substring(point + 1) + "0".repeat(missing));
  }
}
