package io.sluice.bench.local;

import io.sluice.bench.Bench;
import io.sluice.bench.Comparison;
import io.sluice.bench.Figure;
import io.sluice.bench.LinePlot;
import io.sluice.bench.Plot;
import io.sluice.bench.Ratio;
import io.sluice.it.cluster.ClusterException;
import io.sluice.it.local.ProcessCosts;
import io.sluice.it.report.Console;
import io.sluice.it.report.ResultFiles;
import java.nio.file.Path;
import java.util.Collections;
import java.util.EnumSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.ToDoubleFunction;

/**
 * Hone's synthetic job on one machine, in each shape by everybody in turn, with equal outputs:
 * Figure 9 of the paper with our numbers.
 *
 * <p>Not thread-safe. A failed job or an output that differs is a {@link ClusterException}.
 */
public final class SyntheticBench {
  private static final String PROGRAM = "synthetic";

  /** Who can run it. */
  public static final Set<HoneVariant> VARIANTS =
      Collections.unmodifiableSet(
          EnumSet.of(HoneVariant.CLUSTER, HoneVariant.STOCK, HoneVariant.SLUICE));

  /** One of them is the special one of biased keys. */
  private static final int REDUCES = 4;

  private final Console console;
  private final HoneClients clients;
  private final List<SyntheticShape.Part> parts;
  private final long lines;
  private final Set<HoneVariant> variants;
  private final Comparison<HoneVariant, Map<SyntheticShape, ProcessCosts>> comparison =
      new Comparison<>(
          List.of(
              new Ratio<>(HoneVariant.CLUSTER, HoneVariant.SLUICE),
              new Ratio<>(HoneVariant.STOCK, HoneVariant.SLUICE)));

  /**
   * Some parts, over a text of so many lines, run by those clients.
   *
   * @param variants some of {@link #VARIANTS}
   */
  public SyntheticBench(
      Console console,
      HoneClients clients,
      List<SyntheticShape.Part> parts,
      long lines,
      Set<HoneVariant> variants) {
    this.console = console;
    this.clients = clients;
    this.parts = List.copyOf(parts);
    this.lines = lines;
    this.variants = EnumSet.copyOf(variants);
  }

  private Bench described() {
    return Bench.of(
            "bench-synthetic",
            () ->
                "Hone's synthetic job over %,d lines of text, rounds: %d"
                    .formatted(lines, comparison.rounds().size()))
        .data("lines", () -> lines)
        .data("rounds", comparison::rounds)
        .table("Time of the client", () -> comparison.table(figures(SyntheticShape.of(parts))))
        .notes(
            () ->
                List.of(
                    "Where a row names one setting, the others are these: keys are uniform, each token emits one pair, values have three letters, and two digits of pi are computed for each token."))
        .maybePlot(
            "-keys",
            title ->
                parts.contains(SyntheticShape.Part.KEYS)
                    ? comparison.plot(
                        title,
                        "time, in per cent of Sluice's",
                        figures(SyntheticShape.Part.KEYS.shapes()))
                    : Optional.empty())
        .maybePlot(
            "-payload",
            title ->
                lines(
                    title,
                    SyntheticShape.Part.PAYLOAD,
                    "letters of a value",
                    SyntheticShape::letters))
        .maybePlot(
            "-cpu",
            title ->
                lines(
                    title,
                    SyntheticShape.Part.CPU,
                    "digits of pi for each token",
                    SyntheticShape::digits));
  }

  /** Runs all rounds and writes the results. */
  public void run(int rounds, ResultFiles files) {
    Path input =
        console.step(
            "Text of %,d lines".formatted(lines),
            () -> clients.generate(PROGRAM, "generate-text", lines));
    described()
        .run(
            rounds,
            round ->
                comparison.add(
                    Bench.inTurn(
                        SyntheticShape.of(parts),
                        variants,
                        (shape, variant) ->
                            console.step(
                                "Round %d, %s, %s".formatted(round, shape.title(), variant.title()),
                                () ->
                                    clients.run(
                                        variant,
                                        PROGRAM,
                                        shape.jobSettings(REDUCES),
                                        input,
                                        List.of())),
                        SyntheticShape::title,
                        (shape, variant) -> clients.takeOutput(PROGRAM, variant))),
            console,
            files);
  }

  private static List<Figure<Map<SyntheticShape, ProcessCosts>>> figures(
      List<SyntheticShape> shapes) {
    return shapes.stream().map(shape -> LocalFigure.WALL.ofCase(shape.title(), shape)).toList();
  }

  private Optional<Plot> lines(
      String title,
      SyntheticShape.Part part,
      String across,
      ToDoubleFunction<SyntheticShape> value) {
    if (!parts.contains(part)) {
      return Optional.empty();
    }
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
    return Optional.of(new LinePlot(title, across, "seconds", series));
  }
}
