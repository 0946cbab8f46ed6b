package io.sluice.bench.local;

import io.sluice.bench.Comparison;
import io.sluice.bench.Figure;
import io.sluice.bench.LinePlot;
import io.sluice.bench.Plot;
import io.sluice.bench.Ratio;
import io.sluice.bench.ResultPage;
import io.sluice.it.local.ProcessCosts;
import io.sluice.it.report.Machine;
import io.sluice.tools.text.TextTable;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.DoubleFunction;
import java.util.function.ToDoubleFunction;
import java.util.function.ToIntFunction;

/** What Hone's synthetic job has cost so far, in the parts of its Figure 9. Not thread-safe. */
final class SyntheticResults {
  private static final DoubleFunction<String> SECONDS = ms -> "%.1f s".formatted(ms / 1e3);
  private static final List<Ratio<HoneVariant>> RATIOS =
      List.of(
          new Ratio<>(HoneVariant.CLUSTER, HoneVariant.SLUICE),
          new Ratio<>(HoneVariant.STOCK, HoneVariant.SLUICE));

  private final List<SyntheticShape.Part> parts;
  private final long lines;
  private final Comparison<HoneVariant, Map<String, ProcessCosts>> comparison =
      new Comparison<>(RATIOS);

  /** Of nothing yet. */
  SyntheticResults(List<SyntheticShape.Part> parts, long lines) {
    this.parts = parts;
    this.lines = lines;
  }

  /** Adds a round: what each shape took, by its title. */
  void add(Map<HoneVariant, Map<String, ProcessCosts>> round) {
    comparison.add(round);
  }

  /** All that is written of it. */
  ResultPage page() {
    Map<String, TextTable> tables = new LinkedHashMap<>();
    tables.put(
        "Time of the client",
        comparison.table(figures(SyntheticShape.of(parts), ProcessCosts::wallMs)));
    String title =
        "Hone's synthetic job over %,d lines of text, rounds: %d"
            .formatted(lines, comparison.rounds().size());
    return new ResultPage(
        "bench-synthetic",
        title,
        Machine.here(),
        Map.of("lines", lines, "rounds", comparison.rounds()),
        tables,
        List.of(
            "Where a row names one setting, keys are uniform, each token emits one pair, values have three letters, and two"
                + " digits of pi are computed for each token."),
        plots(title));
  }

  private static List<Figure<Map<String, ProcessCosts>>> figures(
      List<SyntheticShape> shapes, ToDoubleFunction<ProcessCosts> value) {
    return shapes.stream().map(shape -> figure(shape, value)).toList();
  }

  private static Figure<Map<String, ProcessCosts>> figure(
      SyntheticShape shape, ToDoubleFunction<ProcessCosts> value) {
    return new Figure<>(
        shape.title(), costs -> value.applyAsDouble(costs.get(shape.title())), SECONDS);
  }

  private Map<String, Plot> plots(String title) {
    Map<String, Plot> plots = new LinkedHashMap<>();
    for (SyntheticShape.Part part : parts) {
      switch (part) {
        case KEYS ->
            comparison
                .plot(
                    title,
                    "time, in per cent of Sluice's",
                    figures(part.shapes(), ProcessCosts::wallMs))
                .ifPresent(plot -> plots.put("-keys", plot));
        case PAYLOAD ->
            plots.put(
                "-payload", lines(title, part, "letters of a value", SyntheticShape::letters));
        case CPU ->
            plots.put(
                "-cpu", lines(title, part, "digits of pi for each token", SyntheticShape::digits));
        default -> throw new IllegalStateException(part.name());
      }
    }
    return plots;
  }

  private LinePlot lines(
      String title, SyntheticShape.Part part, String across, ToIntFunction<SyntheticShape> value) {
    Map<String, List<LinePlot.Point>> series = new LinkedHashMap<>();
    for (HoneVariant variant : comparison.variants()) {
      series.put(
          variant.title(),
          part.shapes().stream()
              .map(
                  shape ->
                      LinePlot.Point.of(
                          value.applyAsInt(shape),
                          comparison.values(figure(shape, costs -> costs.wallMs() / 1e3), variant)))
              .toList());
    }
    return new LinePlot(title, across, "seconds", series);
  }
}
