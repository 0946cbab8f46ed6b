package io.sluice.bench;

import io.sluice.bench.hadoop.JobFigure;
import io.sluice.it.job.JobCosts;
import java.awt.Color;
import java.io.IOException;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.knowm.xchart.BitmapEncoder;
import org.knowm.xchart.CategoryChart;
import org.knowm.xchart.CategoryChartBuilder;
import org.knowm.xchart.style.Styler;

/**
 * Bars: what each variant cost, in per cent of stock defaults, with the spread where there is one.
 */
public final class CostPlot {
  /** What is drawn, from left to right. */
  public static final List<JobFigure> MEASURES =
      List.of(
          JobFigure.WALL,
          JobFigure.CPU,
          JobFigure.SPILL_MERGE,
          JobFigure.SHUFFLE_MERGE,
          JobFigure.LOCAL);

  private CostPlot() {}

  /**
   * One bar.
   *
   * @param percent its height
   * @param spreadPercent how far the measurements lie from it at most
   */
  public record Bar(double percent, double spreadPercent) {}

  /** Draws the costs of one run of each variant against the map's first one, as a PNG. */
  public static void write(String title, Map<String, JobCosts> byVariant, Path file)
      throws IOException {
    JobCosts first = byVariant.values().iterator().next();
    Map<String, List<Bar>> bars = new LinkedHashMap<>();
    byVariant.forEach(
        (variant, costs) ->
            bars.put(
                variant,
                MEASURES.stream()
                    .map(measure -> new Bar(percent(measure, costs, first), 0))
                    .toList()));
    draw(title, bars, file);
  }

  /** Draws one bar for each variant and measure, as a PNG. */
  public static void draw(String title, Map<String, List<Bar>> byVariant, Path file)
      throws IOException {
    List<String> measures = MEASURES.stream().map(JobFigure::title).toList();
    draw(title, "per cent of stock defaults", measures, byVariant, file);
  }

  /** Draws one bar for each variant and category, as a PNG. */
  public static void draw(
      String title,
      String unit,
      List<String> categories,
      Map<String, List<Bar>> byVariant,
      Path file)
      throws IOException {
    System.setProperty("java.awt.headless", "true");
    CategoryChart chart =
        new CategoryChartBuilder().width(1000).height(520).title(title).yAxisTitle(unit).build();
    chart.getStyler().setLegendPosition(Styler.LegendPosition.OutsideS);
    chart.getStyler().setLegendLayout(Styler.LegendLayout.Horizontal);
    chart.getStyler().setLabelsVisible(true);
    chart.getStyler().setPlotGridVerticalLinesVisible(false);
    chart.getStyler().setChartBackgroundColor(Color.WHITE);
    chart.getStyler().setYAxisDecimalPattern("0");
    byVariant.forEach(
        (variant, bars) ->
            chart.addSeries(
                variant,
                categories,
                bars.stream().map(bar -> rounded(bar.percent())).toList(),
                bars.stream().map(bar -> rounded(bar.spreadPercent())).toList()));
    BitmapEncoder.saveBitmap(chart, file.toString(), BitmapEncoder.BitmapFormat.PNG);
  }

  private static double percent(JobFigure measure, JobCosts costs, JobCosts first) {
    long base = measure.of(first);
    return base == 0 ? 0 : 100.0 * measure.of(costs) / base;
  }

  private static double rounded(double percent) {
    return Math.round(10 * percent) / 10.0;
  }
}
