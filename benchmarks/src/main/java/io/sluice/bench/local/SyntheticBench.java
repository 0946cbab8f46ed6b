package io.sluice.bench.local;

import io.sluice.bench.Bench;
import io.sluice.bench.Comparison;
import io.sluice.bench.Comparison.Ratio;
import io.sluice.bench.Figure;
import io.sluice.bench.Plot.LinePlot;
import io.sluice.bench.local.HoneClients.HoneVariant;
import io.sluice.it.cluster.ClusterException;
import io.sluice.it.local.LocalJobClient.ProcessCosts;
import io.sluice.it.report.Console;
import io.sluice.it.report.ResultFiles;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.EnumSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.ToDoubleFunction;

/**
 * Hone's synthetic job on one machine, in each shape by all variants in turn, with equal outputs:
 * Figure 9 of the paper with our numbers.
 *
 * <p>Not thread-safe. A failed job or an output that differs is a {@link ClusterException}.
 *
 * @param console says what runs
 * @param clients that run the job
 * @param parts of the figure
 * @param lines of the text
 * @param variants some of {@link #VARIANTS}
 */
public record SyntheticBench(
    Console console,
    HoneClients clients,
    List<SyntheticShape.Part> parts,
    long lines,
    Set<HoneVariant> variants) {
  private static final String PROGRAM = "synthetic";

  /** The variants that can run it. */
  public static final Set<HoneVariant> VARIANTS =
      Collections.unmodifiableSet(
          EnumSet.of(HoneVariant.CLUSTER, HoneVariant.STOCK, HoneVariant.SLUICE));

  /** One of them is the special one of biased keys. */
  private static final int REDUCES = 4;

  /** Runs all rounds and writes the results. */
  public void run(int rounds, ResultFiles files) {
    Path input =
        console.step(
            "Text of %,d lines".formatted(lines),
            () -> clients.generate(PROGRAM, "generate-text", lines));
    List<SyntheticShape> shapes = SyntheticShape.of(parts);
    Comparison<HoneVariant, Map<SyntheticShape, ProcessCosts>> comparison =
        new Comparison<>(Ratio.against(HoneVariant.SLUICE, HoneVariant.CLUSTER, HoneVariant.STOCK));
    Bench bench =
        Bench.of("bench-synthetic", "Hone's synthetic job over %,d lines of text", lines)
            .data("lines", lines)
            .rounds(comparison)
            .table("Time of the client", comparison, figures(shapes))
            .notes(
                "Where a row names one setting, the others are these: keys are uniform, each token emits one pair, values have three letters, and two digits of pi are computed for each token.");
    for (SyntheticShape.Part part : parts) {
      switch (part) {
        case KEYS ->
            bench.bars(
                "-keys", comparison, "time, in per cent of Sluice's", figures(part.shapes()));
        case PAYLOAD ->
            bench.plot(
                "-payload",
                title ->
                    lines(title, comparison, part, "letters of a value", SyntheticShape::letters));
        case CPU ->
            bench.plot(
                "-cpu",
                title ->
                    lines(
                        title,
                        comparison,
                        part,
                        "digits of pi for each token",
                        SyntheticShape::digits));
        default -> throw new IllegalStateException(part.name());
      }
    }
    bench.run(
        rounds,
        comparison,
        round ->
            Bench.inTurn(
                shapes,
                variants,
                (shape, variant) -> measure(shape, variant, round, input),
                SyntheticShape::title,
                (shape, variant) -> clients.takeOutput(PROGRAM, variant)),
        console,
        files);
  }

  private ProcessCosts measure(SyntheticShape shape, HoneVariant variant, int round, Path input) {
    return console.step(
        "Round %d, %s, %s".formatted(round, shape.title(), variant.title()),
        () -> clients.run(variant, PROGRAM, shape.jobSettings(REDUCES), input, List.of()));
  }

  private static List<Figure<Map<SyntheticShape, ProcessCosts>>> figures(
      List<SyntheticShape> shapes) {
    return shapes.stream().map(shape -> LocalFigure.WALL.ofCase(shape.title(), shape)).toList();
  }

  private static LinePlot lines(
      String title,
      Comparison<HoneVariant, Map<SyntheticShape, ProcessCosts>> comparison,
      SyntheticShape.Part part,
      String across,
      ToDoubleFunction<SyntheticShape> value) {
    Map<String, List<LinePlot.Point>> series = new LinkedHashMap<>();
    for (HoneVariant variant : comparison.variants()) {
      series.put(
          variant.title(),
          comparison.line(
              variant,
              part.shapes(),
              value,
              shape -> new Figure<>("", costs -> costs.get(shape).wallMs() / 1e3, s -> "")));
    }
    return new LinePlot(title, across, "seconds", series);
  }

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
                  new SyntheticShape(
                      digits + " digits of pi", UNIFORM, ONE_TO_ONE, LETTERS, digits));
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

    /** The shapes of some parts, each once. */
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
}
