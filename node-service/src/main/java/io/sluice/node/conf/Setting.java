package io.sluice.node.conf;

import java.util.ArrayList;
import java.util.List;
import java.util.function.Function;
import java.util.function.UnaryOperator;

/**
 * One documented setting of an engine's plugin: its name, type, default and meaning.
 *
 * @param name the configuration key
 * @param defaultText the default as the documentation shows it
 * @param meaning what it does, in one sentence or two
 * @param parser makes the value out of its trimmed text, or of null if it is not set
 */
public record Setting<T>(
    String name, String defaultText, String meaning, Function<String, T> parser) {
  private static final String HEX = "0x";

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

  /** Any text. */
  public static Setting<String> text(
      String name, String defaultValue, String defaultText, String meaning) {
    return new Setting<>(name, defaultText, meaning, text -> text == null ? defaultValue : text);
  }
}
