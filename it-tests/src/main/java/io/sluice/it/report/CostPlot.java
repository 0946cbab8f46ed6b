package io.sluice.it.report;

import io.sluice.it.job.JobCosts;
import java.awt.Color;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.knowm.xchart.BitmapEncoder;
import org.knowm.xchart.CategoryChart;
import org.knowm.xchart.CategoryChartBuilder;
import org.knowm.xchart.style.Styler;

/** Bars: what each variant cost, in per cent of the first one. */
public final class CostPlot {
  private static final List<Measure> MEASURES =
      List.of(Measure.WALL, Measure.CPU, Measure.SPILL_MERGE, Measure.SHUFFLE_MERGE, Measure.LOCAL);

  private CostPlot() {}

  /** Draws the variants in the map's order, as a PNG. */
  public static void write(String title, Map<String, JobCosts> byVariant, Path file)
      throws IOException {
    System.setProperty("java.awt.headless", "true");
    CategoryChart chart =
        new CategoryChartBuilder()
            .width(1000)
            .height(520)
            .title(title)
            .yAxisTitle("per cent of stock defaults")
            .build();
    chart.getStyler().setLegendPosition(Styler.LegendPosition.InsideNE);
    chart.getStyler().setLabelsVisible(true);
    chart.getStyler().setPlotGridVerticalLinesVisible(false);
    chart.getStyler().setChartBackgroundColor(Color.WHITE);
    chart.getStyler().setYAxisDecimalPattern("0");
    JobCosts first = byVariant.values().iterator().next();
    byVariant.forEach(
        (variant, costs) ->
            chart.addSeries(
                variant,
                MEASURES.stream().map(Measure::title).toList(),
                MEASURES.stream().map(measure -> percent(measure, costs, first)).toList()));
    BitmapEncoder.saveBitmap(chart, file.toString(), BitmapEncoder.BitmapFormat.PNG);
  }

  private static double percent(Measure measure, JobCosts costs, JobCosts first) {
    long base = measure.of(first);
    return base == 0 ? 0 : Math.round(1000.0 * measure.of(costs) / base) / 10.0;
  }
}
