package io.sluice.bench.local;

import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * How many tasks a job has.
 *
 * @param maps at least one
 * @param reduces at least one
 */
public record ExchangeShape(int maps, int reduces) {
  private static final Pattern TEXT = Pattern.compile("([1-9]\\d{0,6})x([1-9]\\d{0,6})");

  /** Reads what {@link #toString} writes, such as 64x8. */
  public static ExchangeShape parse(String text) {
    Matcher shape = TEXT.matcher(text);
    if (!shape.matches()) {
      throw new IllegalArgumentException(
          "a shape is a number of maps and one of reduces, such as 64x8; found \"" + text + "\"");
    }
    return new ExchangeShape(Integer.parseInt(shape.group(1)), Integer.parseInt(shape.group(2)));
  }

  /** Runs that reduces merge, if each map puts out one for each. */
  long runs() {
    return (long) maps * reduces;
  }

  @Override
  public String toString() {
    return maps + "x" + reduces;
  }
}
