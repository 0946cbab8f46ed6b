package io.sluice.bench.model;

import io.sluice.bench.LinePlot;
import io.sluice.bench.Spread;
import io.sluice.bench.hadoop.Size;
import io.sluice.bench.model.FittedModel.Prediction;
import io.sluice.tools.text.TextTable;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** What was fitted, and what the fit says of other sizes. Not thread-safe. */
final class FitTables {
  private final FittedModel model;
  private final List<Prediction> predictions;

  FitTables(FittedModel model) {
    this.model = model;
    this.predictions = model.predictions();
  }

  List<Prediction> predictions() {
    return predictions;
  }

  /** A row for each stage. */
  TextTable parameters() {
    TextTable table =
        new TextTable(
            List.of(
                "benchmark, stage",
                "blocks in",
                "Time_start, ms",
                "Time_cleanup, ms",
                "Time_Task of an empty block, ms",
                "and for each MB of text, ms"));
    model
        .stages()
        .forEach(
            (cell, fits) -> {
              for (int stage = 0; stage < fits.size(); stage++) {
                StageFit fit = fits.get(stage);
                table.add(
                    List.of(
                        cell.benchmark().title() + ", " + (stage + 1),
                        cell.storage().title(),
                        "%.0f".formatted(fit.model().startMs()),
                        "%.0f".formatted(fit.model().cleanupMs()),
                        "%.1f".formatted(fit.task().base()),
                        "%.2f".formatted(1e6 * fit.task().slope())));
              }
            });
    return table;
  }

  /** A row for each size that nothing was fitted to. */
  TextTable checks() {
    TextTable table =
        new TextTable(
            List.of(
                "benchmark",
                "blocks in",
                "text",
                "measured: median (min–max)",
                "predicted",
                "error",
                "error with the tasks' own times"));
    for (Prediction each : predictions) {
      table.add(
          List.of(
              each.benchmark().title(),
              each.storage().title(),
              Size.show(each.textBytes()),
              each.measuredMs().show(ms -> "%.0f ms".formatted(ms)),
              "%.0f ms".formatted(each.predictedMs()),
              percent(each.error()),
              percent(each.errorOfEquation())));
    }
    return table;
  }

  private static String percent(double share) {
    return "%+.0f %%".formatted(100 * share);
  }

  /** How far off the model is, over all that it was checked by. */
  String errors() {
    Spread ofModel = Spread.of(predictions.stream().map(each -> Math.abs(each.error())).toList());
    Spread ofEquation =
        Spread.of(predictions.stream().map(each -> Math.abs(each.errorOfEquation())).toList());
    return ("Error on the %d sizes that nothing was fitted to, sign aside: median %.0f %%, largest"
            + " %.0f %%. Of it the first equation alone, with the times that the tasks had: median"
            + " %.0f %%, largest %.0f %%.")
        .formatted(
            predictions.size(),
            100 * ofModel.median(),
            100 * ofModel.max(),
            100 * ofEquation.median(),
            100 * ofEquation.max());
  }

  /** Predicted over measured: on the diagonal the model is right. */
  LinePlot plot() {
    Map<String, List<LinePlot.Point>> series = new LinkedHashMap<>();
    double least = Double.MAX_VALUE;
    double most = 0;
    for (Prediction each : predictions) {
      double x = each.measuredMs().median();
      series
          .computeIfAbsent(
              each.benchmark().title() + ", " + each.storage().title(), name -> new ArrayList<>())
          .add(new LinePlot.Point(x, each.predictedMs(), 0));
      least = Math.min(least, x);
      most = Math.max(most, x);
    }
    series.put(
        "predicted as measured",
        List.of(new LinePlot.Point(least, least, 0), new LinePlot.Point(most, most, 0)));
    return new LinePlot(
        "The model on sizes that nothing was fitted to",
        "measured, ms",
        "predicted, ms",
        series,
        true);
  }
}
