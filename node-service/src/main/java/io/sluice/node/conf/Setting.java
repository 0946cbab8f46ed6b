package io.sluice.node.conf;

import io.sluice.rdma.TransportChooser;
import io.sluice.rdma.transport.TransportNames;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.OptionalInt;
import java.util.OptionalLong;
import java.util.function.Function;
import java.util.function.UnaryOperator;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * One documented setting of an engine's plugin: its name, type, default and meaning.
 *
 * @param name the configuration key
 * @param defaultText the default as the documentation shows it
 * @param meaning its description, in one sentence or two
 * @param parser makes the value out of its trimmed text, or of null if it is not set
 */
public record Setting<T>(
    String name, String defaultText, String meaning, Function<String, T> parser) {
  private static final String HEX = "0x";
  private static final long MIB = 1 << 20;

  /**
   * The value, or the default.
   *
   * @param conf gives the trimmed text of a key, or null if it is not set
   * @throws IllegalArgumentException naming the setting if the value is not of its form
   */
  public T get(UnaryOperator<String> conf) {
    return parser.apply(conf.apply(name));
  }

  /** A whole number between two bounds, both allowed. */
  public static Setting<Integer> integer(
      String name, int defaultValue, int min, int max, String meaning) {
    return new Setting<>(
        name,
        Integer.toString(defaultValue),
        meaning,
        text -> text == null ? Integer.valueOf(defaultValue) : parse(name, text, min, max));
  }

  /** The same without a default: empty if it is not set. */
  public static Setting<OptionalInt> optionalInteger(
      String name, String defaultText, int min, int max, String meaning) {
    return new Setting<>(
        name,
        defaultText,
        meaning,
        text -> text == null ? OptionalInt.empty() : OptionalInt.of(parse(name, text, min, max)));
  }

  private static int parse(String name, String text, int min, int max) {
    boolean isNumber = true;
    int value = min;
    try {
      // As Hadoop reads numbers, and Spark's are a subset of them.
      value =
          text.startsWith(HEX) ? Integer.parseInt(text.substring(2), 16) : Integer.parseInt(text);
    } catch (NumberFormatException e) {
      isNumber = false; // its own message does not name the key
    }
    if (!isNumber || value < min || value > max) {
      throw new IllegalArgumentException(
          name + " is '" + text + "', expected a whole number from " + min + " to " + max);
    }
    return value;
  }

  /** One of some words. */
  public static Setting<String> choice(
      String name, String meaning, String defaultValue, String... others) {
    List<String> allowed = new ArrayList<>();
    allowed.add(defaultValue);
    allowed.addAll(List.of(others));
    return new Setting<>(
        name,
        defaultValue,
        meaning + " One of " + String.join(", ", allowed) + ".",
        text -> {
          String value = text == null ? defaultValue : text;
          if (!allowed.contains(value)) {
            throw new IllegalArgumentException(
                name + " is '" + value + "', expected one of " + String.join(", ", allowed));
          }
          return value;
        });
  }

  /**
   * A size in whole MiB, as {@link Units#bytes} reads it; its value is in bytes.
   *
   * @param defaultText as somebody would set it, and so are the bounds, both allowed
   */
  public static Setting<Long> size(
      String name, String defaultText, String minText, String maxText, String meaning) {
    long min = Units.bytes(minText).orElseThrow();
    long max = Units.bytes(maxText).orElseThrow();
    return new Setting<>(
        name,
        defaultText,
        meaning,
        text -> {
          OptionalLong bytes = Units.bytes(text == null ? defaultText : text);
          if (bytes.isEmpty()
              || bytes.getAsLong() < min
              || bytes.getAsLong() > max
              || bytes.getAsLong() % MIB != 0) {
            throw new IllegalArgumentException(
                "%s is '%s', expected a size in whole MiB with its unit, such as 64m, from %s to %s"
                    .formatted(name, text, minText, maxText));
          }
          return bytes.getAsLong();
        });
  }

  /**
   * A time, as {@link Units#ms} reads it; its value is in milliseconds.
   *
   * @param defaultText as somebody would set it, and so are the bounds, both allowed
   */
  public static Setting<Long> time(
      String name, String defaultText, String minText, String maxText, String meaning) {
    long min = Units.ms(minText).orElseThrow();
    long max = Units.ms(maxText).orElseThrow();
    return new Setting<>(
        name,
        defaultText,
        meaning,
        text -> {
          OptionalLong ms = Units.ms(text == null ? defaultText : text);
          if (ms.isEmpty() || ms.getAsLong() < min || ms.getAsLong() > max) {
            throw new IllegalArgumentException(
                "%s is '%s', expected a time with its unit, such as 30s, from %s to %s"
                    .formatted(name, text, minText, maxText));
          }
          return ms.getAsLong();
        });
  }

  /**
   * A transport: {@value TransportChooser#AUTO}, which is the default, or one of {@link
   * TransportNames}.
   *
   * @param meaning what the transport is taken for
   */
  public static Setting<String> transport(String name, String meaning) {
    return choice(
        name,
        meaning + " `disni` comes in a [jar of its own](disni.md).",
        TransportChooser.AUTO,
        TransportNames.BEST_FIRST.toArray(String[]::new));
  }

  /** {@code true} or {@code false}, in either case. */
  public static Setting<Boolean> bool(String name, boolean defaultValue, String meaning) {
    return new Setting<>(
        name,
        Boolean.toString(defaultValue),
        meaning,
        text -> {
          boolean isTrue = "true".equalsIgnoreCase(text);
          if (text != null && !isTrue && !text.equalsIgnoreCase("false")) {
            throw new IllegalArgumentException(name + " is '" + text + "', expected true or false");
          }
          return text == null ? defaultValue : isTrue;
        });
  }

  /** Any text. */
  public static Setting<String> text(
      String name, String defaultValue, String defaultText, String meaning) {
    return new Setting<>(name, defaultText, meaning, text -> text == null ? defaultValue : text);
  }

  /**
   * Sizes and times as Spark has them in its settings: a whole number and a unit, in either case. A
   * number alone is none, because it would mean another amount wherever another unit is usual.
   */
  public static final class Units {
    private static final Pattern FORM = Pattern.compile("([0-9]{1,18})([a-z]+)");

    private static final Map<String, Long> BYTES =
        Map.of(
            "b", 1L, "k", 1L << 10, "kb", 1L << 10, "m", 1L << 20, "mb", 1L << 20, "g", 1L << 30,
            "gb", 1L << 30, "t", 1L << 40, "tb", 1L << 40);

    private static final Map<String, Long> MS =
        Map.of(
            "ms", 1L, "s", 1_000L, "m", 60_000L, "min", 60_000L, "h", 3_600_000L, "d", 86_400_000L);

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
}
