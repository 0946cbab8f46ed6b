package io.sluice.bench;

import com.fasterxml.jackson.annotation.JsonTypeName;
import java.awt.Color;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.knowm.xchart.BitmapEncoder;
import org.knowm.xchart.CategoryChart;
import org.knowm.xchart.CategoryChartBuilder;
import org.knowm.xchart.style.Styler;

/**
 * Bars: what something cost, in per cent of something else, with the spread where there is one.
 *
 * @param title above the plot
 * @param unit of the heights, in words
 * @param categories from left to right
 * @param series of each, by its name, a bar for every category
 */
@JsonTypeName("bars")
public record CostPlot(
    String title, String unit, List<String> categories, Map<String, List<Bar>> series)
    implements Plot {
  private static final int WIDTH = 1000;
  private static final int LETTER_WIDTH = 8;
  private static final int TILT_DEGREES = 20;

  /**
   * One bar.
   *
   * @param percent its height
   * @param spreadPercent how far the measurements lie from it at most
   */
  public record Bar(double percent, double spreadPercent) {}

  @Override
  public void draw(Path file) throws IOException {
    System.setProperty("java.awt.headless", "true");
    CategoryChart chart =
        new CategoryChartBuilder().width(WIDTH).height(520).title(title).yAxisTitle(unit).build();
    chart.getStyler().setLegendPosition(Styler.LegendPosition.OutsideS);
    chart.getStyler().setLegendLayout(Styler.LegendLayout.Horizontal);
    chart.getStyler().setLabelsVisible(true);
    chart.getStyler().setPlotGridVerticalLinesVisible(false);
    chart.getStyler().setChartBackgroundColor(Color.WHITE);
    chart.getStyler().setYAxisDecimalPattern("0");
    if (!fitsBeside(categories)) {
      chart.getStyler().setXAxisLabelRotation(TILT_DEGREES);
    }
    series.forEach(
        (name, bars) ->
            chart.addSeries(
                name,
                categories,
                bars.stream().map(bar -> rounded(bar.percent())).toList(),
                bars.stream().map(bar -> rounded(bar.spreadPercent())).toList()));
    BitmapEncoder.saveBitmap(chart, file.toString(), BitmapEncoder.BitmapFormat.PNG);
  }

  /** Whether no name reaches into the next one's place. */
  private static boolean fitsBeside(List<String> names) {
    int longest = names.stream().mapToInt(String::length).max().orElse(0);
    return longest * LETTER_WIDTH * names.size() < WIDTH;
  }

  private static double rounded(double percent) {
    return Math.round(10 * percent) / 10.0;
  }
}
