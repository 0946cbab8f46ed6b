package io.sluice.hadoop.conf;

import java.util.ArrayList;
import java.util.List;
import java.util.function.BiFunction;
import org.apache.hadoop.conf.Configuration;

/**
 * One documented setting: its name, type, default and meaning.
 *
 * @param name the configuration key
 * @param where the file it belongs in
 * @param defaultText the default as the documentation shows it
 * @param meaning what it does, in one sentence or two
 * @param reader reads and checks the value
 */
public record Setting<T>(
    String name,
    Where where,
    String defaultText,
    String meaning,
    BiFunction<Configuration, String, T> reader) {

  /** Whose configuration is read. */
  public enum Where {
    /** The NodeManager's {@code yarn-site.xml}. */
    NODE_MANAGER,
    /** The job's configuration: {@code mapred-site.xml} or {@code -D}. */
    JOB
  }

  /**
   * The value in {@code conf}, or the default.
   *
   * @throws IllegalArgumentException naming the setting if the value is not of its form
   */
  public T get(Configuration conf) {
    return reader.apply(conf, name);
  }

  static Setting<Integer> integer(
      String name, Where where, int defaultValue, int min, int max, String meaning) {
    return new Setting<>(
        name,
        where,
        Integer.toString(defaultValue),
        meaning,
        (conf, key) -> {
          boolean isNumber = true;
          int value = defaultValue;
          try {
            value = conf.getInt(key, defaultValue);
          } catch (NumberFormatException e) {
            isNumber = false; // its own message does not name the key
          }
          if (!isNumber || value < min || value > max) {
            throw new IllegalArgumentException(
                key
                    + " is '"
                    + conf.getTrimmed(key)
                    + "', expected a whole number from "
                    + min
                    + " to "
                    + max);
          }
          return value;
        });
  }

  static Setting<String> choice(
      String name, Where where, String meaning, String defaultValue, String... others) {
    List<String> allowed = new ArrayList<>();
    allowed.add(defaultValue);
    allowed.addAll(List.of(others));
    return new Setting<>(
        name,
        where,
        defaultValue,
        meaning + " One of " + String.join(", ", allowed) + ".",
        (conf, key) -> {
          String value = conf.getTrimmed(key, defaultValue);
          if (!allowed.contains(value)) {
            throw new IllegalArgumentException(
                key + " is '" + value + "', expected one of " + String.join(", ", allowed));
          }
          return value;
        });
  }

  static Setting<String> text(
      String name, Where where, String defaultValue, String defaultText, String meaning) {
    return new Setting<>(
        name, where, defaultText, meaning, (conf, key) -> conf.getTrimmed(key, defaultValue));
  }
}
