package io.sluice.bench.model;

import io.sluice.bench.Figure.Spread;
import io.sluice.bench.Plot;
import io.sluice.bench.Plot.LinePlot;
import io.sluice.bench.ResultPage;
import io.sluice.bench.hadoop.Size;
import io.sluice.bench.model.FittedModel.NetworkModel;
import io.sluice.bench.model.FittedModel.Prediction;
import io.sluice.bench.model.ScaleTables.ShuffleScale;
import io.sluice.bench.model.ShuffleLimits.ShuffleLoad;
import io.sluice.it.report.ResultFiles;
import io.sluice.tools.text.TextTable;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * All that the model says, as a page.
 *
 * <p>Thread contract: none is kept. Failure: {@link IllegalArgumentException} if there are too few
 * measurements to fit and check.
 */
public final class ModelPage {
  private static final String NAME = "model";

  private ModelPage() {}

  /** Writes what was measured alone, for {@link Measurements#read}. */
  public static void keep(Measurements measurements, ResultFiles results) {
    results.json(NAME, Map.of(Measurements.NAME, measurements));
  }

  /** Fits, checks and predicts. */
  public static ResultPage of(Measurements measurements, ShuffleLoad load, ShuffleLimits limits) {
    FittedModel model = new FittedModel(measurements);
    FitTables fits = new FitTables(model);
    Figure8Tables figure = new Figure8Tables(model);
    ScaleTables scale = new ScaleTables(new ShuffleScale(load, limits));
    Map<String, TextTable> tables = new LinkedHashMap<>();
    tables.put("## Checked: sizes that nothing was fitted to", fits.checks());
    tables.put("## Fitted: every other size", fits.parameters());
    tables.put("## Figure 8: from which bandwidth on RAM is ahead of NVMe", figure.crossings());
    tables.put("## Our own shuffle, from 1 to 10,000 nodes", scale.table());
    Map<String, Object> data = new LinkedHashMap<>();
    data.put("predictions", fits.predictions());
    data.put(Measurements.NAME, measurements);
    return new ResultPage(
        NAME,
        "Model of Chen and Rodero, Spark %s on %d executors with a core each"
            .formatted(measurements.spark(), measurements.cores()),
        measurements.machine(),
        data,
        tables,
        List.of(
            fits.errors(),
            network(model.network()),
            Figure8Tables.paper(),
            scale.assumptions(),
            "Disk is what the page cache makes of it: blocks that were just written are read from"
                + " there. %d of %,d tasks over blocks ran on an executor that did not hold theirs,"
                    .formatted(
                        measurements.tasksElsewhere(), measurements.tasksThatShouldBeAtTheirBlock())
                + " and are in the times of the others."),
        plots(fits, figure, scale));
  }

  private static String network(NetworkModel network) {
    String bandwidth =
        Double.isInfinite(network.gbps())
            ? "more than can be seen"
            : "%.1f Gb/s".formatted(network.gbps());
    return "Network between the executors, over the loopback device: alpha %.1f ms, B %s."
        .formatted(network.alphaMs(), bandwidth);
  }

  private static Map<String, Plot> plots(FitTables fits, Figure8Tables figure, ScaleTables scale) {
    Map<String, Plot> plots = new LinkedHashMap<>();
    plots.put("-check", fits.plot());
    plots.put("-8a", figure.nvmeTimes());
    plots.put("-8b", figure.ramTimes());
    plots.put("-8c", figure.utilization());
    plots.put("-connections", scale.connections());
    plots.put("-messages", scale.messages());
    plots.put("-runs", scale.runs());
    plots.put("-registered", scale.registered());
    return plots;
  }

  /** The fitted parameters, and the predictions for other sizes. Not thread-safe. */
  static final class FitTables {
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
}
