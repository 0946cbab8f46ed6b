package io.sluice.bench.model;

import io.sluice.bench.Plot;
import io.sluice.bench.ResultPage;
import io.sluice.bench.model.FittedModel.NetworkModel;
import io.sluice.bench.model.ScaleTables.ShuffleScale;
import io.sluice.bench.model.ShuffleLimits.ShuffleLoad;
import io.sluice.it.report.ResultFiles;
import io.sluice.tools.text.TextTable;
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
}
