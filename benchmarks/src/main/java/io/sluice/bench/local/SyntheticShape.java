package io.sluice.bench.local;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * A job of Hone's Figure 9: one setting or two of its Table 9, the others as there.
 *
 * @param part of the figure
 * @param title of the job
 * @param value what its part varies, or 0 where that is no number
 * @param settings of the program {@code synthetic}, without their prefix
 */
record SyntheticShape(Part part, String title, int value, Map<String, String> settings) {
  private static final String PREFIX = "workloads.synthetic.";

  /** What goes together. */
  enum Part {
    /** Figure 9, (a) to (e). */
    KEYS,
    /** Figure 9, (f). */
    PAYLOAD,
    /** Figure 9, (g) and (h). */
    CPU
  }

  /** All of them. */
  static List<SyntheticShape> all() {
    List<SyntheticShape> all = new ArrayList<>();
    for (String keys : List.of("uniform", "zipfian", "biased")) {
      for (String emit : List.of("many-to-one", "one-to-one", "one-to-many")) {
        all.add(
            new SyntheticShape(
                Part.KEYS, keys + ", " + emit, 0, Map.of("keys", keys, "emit", emit)));
      }
    }
    for (int letters : List.of(3, 30, 100, 300)) {
      all.add(
          new SyntheticShape(
              Part.PAYLOAD,
              "values of " + letters,
              letters,
              Map.of("payload-size", Integer.toString(letters))));
    }
    for (int digits : List.of(2, 10, 50, 100)) {
      all.add(
          new SyntheticShape(
              Part.CPU,
              digits + " digits of pi",
              digits,
              Map.of("pi-digits", Integer.toString(digits))));
    }
    return all;
  }

  /** As jobs have them. */
  Map<String, String> jobSettings() {
    Map<String, String> named = new LinkedHashMap<>();
    settings.forEach((name, value) -> named.put(PREFIX + name, value));
    return named;
  }
}
