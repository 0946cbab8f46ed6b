package io.sluice.node.conf;

import java.util.Locale;
import java.util.Map;
import java.util.OptionalLong;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Sizes and times as Spark has them in its settings: a whole number and a unit, in either case. A
 * number alone is none, because it would mean another amount wherever another unit is usual.
 */
public final class Units {
  private static final Pattern FORM = Pattern.compile("([0-9]{1,18})([a-z]+)");

  private static final Map<String, Long> BYTES =
      Map.of(
          "b", 1L, "k", 1L << 10, "kb", 1L << 10, "m", 1L << 20, "mb", 1L << 20, "g", 1L << 30,
          "gb", 1L << 30, "t", 1L << 40, "tb", 1L << 40);

  private static final Map<String, Long> MS =
      Map.of(
          "ms",
          1L,
          "s",
          TimeUnit.SECONDS.toMillis(1),
          "m",
          TimeUnit.MINUTES.toMillis(1),
          "min",
          TimeUnit.MINUTES.toMillis(1),
          "h",
          TimeUnit.HOURS.toMillis(1),
          "d",
          TimeUnit.DAYS.toMillis(1));

  private Units() {}

  /** A size such as {@code 64m}, in bytes; empty if the text is none, or is too large for one. */
  public static OptionalLong bytes(String text) {
    return amount(text, BYTES);
  }

  /** A time such as {@code 30s}, in milliseconds; empty if the text is none, or is too long. */
  public static OptionalLong ms(String text) {
    return amount(text, MS);
  }

  /** A time in the largest of the units s and ms that it is a whole number of. */
  static String shortest(long ms) {
    return ms % 1_000 == 0 ? ms / 1_000 + "s" : ms + "ms";
  }

  private static OptionalLong amount(String text, Map<String, Long> units) {
    Matcher parts = FORM.matcher(text.toLowerCase(Locale.ROOT));
    if (!parts.matches() || !units.containsKey(parts.group(2))) {
      return OptionalLong.empty();
    }
    long number = Long.parseLong(parts.group(1));
    long unit = units.get(parts.group(2));
    return number > Long.MAX_VALUE / unit ? OptionalLong.empty() : OptionalLong.of(number * unit);
  }
}
