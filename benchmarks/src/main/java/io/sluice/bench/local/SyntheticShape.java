package io.sluice.bench.local;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * A job of Hone's Figure 9, by what that varies of its Table 9.
 *
 * @param title of the job
 * @param keys how they are distributed
 * @param emit how many pairs a token makes
 * @param letters of a value
 * @param digits of pi that are computed for each token
 */
public record SyntheticShape(String title, String keys, String emit, int letters, int digits) {
  private static final String PREFIX = "workloads.synthetic.";
  private static final String UNIFORM = "uniform";
  private static final String ONE_TO_ONE = "one-to-one";
  private static final int LETTERS = 3;
  private static final int DIGITS = 2;

  /** Shapes that differ in one thing. */
  public enum Part {
    /** Figure 9, (a) to (e). */
    KEYS,
    /** Figure 9, (f). */
    PAYLOAD,
    /** Figure 9, (g) and (h). */
    CPU;

    List<SyntheticShape> shapes() {
      List<SyntheticShape> shapes = new ArrayList<>();
      switch (this) {
        case KEYS -> {
          for (String keys : List.of(UNIFORM, "zipfian", "biased")) {
            for (String emit : List.of("many-to-one", ONE_TO_ONE, "one-to-many")) {
              shapes.add(shape(keys, emit));
            }
          }
        }
        case PAYLOAD -> {
          shapes.add(shape(UNIFORM, ONE_TO_ONE));
          for (int letters : List.of(30, 100, 300)) {
            shapes.add(
                new SyntheticShape("values of " + letters, UNIFORM, ONE_TO_ONE, letters, DIGITS));
          }
        }
        case CPU -> {
          shapes.add(shape(UNIFORM, ONE_TO_ONE));
          for (int digits : List.of(10, 50, 100)) {
            shapes.add(
                new SyntheticShape(digits + " digits of pi", UNIFORM, ONE_TO_ONE, LETTERS, digits));
          }
        }
        default -> throw new IllegalStateException(name());
      }
      return shapes;
    }

    private static SyntheticShape shape(String keys, String emit) {
      return new SyntheticShape(keys + ", " + emit, keys, emit, LETTERS, DIGITS);
    }
  }

  /** Those of some parts, each once. */
  static List<SyntheticShape> of(List<Part> parts) {
    return parts.stream().flatMap(part -> part.shapes().stream()).distinct().toList();
  }

  Map<String, String> jobSettings(int reduces) {
    return new TreeMap<>(
        Map.of(
            PREFIX + "keys",
            keys,
            PREFIX + "emit",
            emit,
            PREFIX + "payload-size",
            Integer.toString(letters),
            PREFIX + "pi-digits",
            Integer.toString(digits),
            "mapreduce.job.reduces",
            Integer.toString(reduces)));
  }

  /** As the JSON of results names it. */
  @Override
  public String toString() {
    return title;
  }
}
