package io.sluice.bench;

import com.fasterxml.jackson.annotation.JsonTypeInfo;
import com.fasterxml.jackson.annotation.JsonTypeName;
import io.sluice.bench.Figure.Spread;
import java.awt.Color;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.knowm.xchart.BitmapEncoder;
import org.knowm.xchart.CategoryChart;
import org.knowm.xchart.CategoryChartBuilder;
import org.knowm.xchart.XYChart;
import org.knowm.xchart.XYChartBuilder;
import org.knowm.xchart.style.Styler;

/**
 * A plot of a result. The result's JSON has all of it, and {@link ResultPage.StoredPlots} draws it
 * again from there.
 */
@JsonTypeInfo(use = JsonTypeInfo.Id.NAME, property = "kind")
public interface Plot {
  /** Draws it as a PNG. */
  void draw(Path file) throws IOException;

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

  /**
   * Lines: how something changes with something else, with the spread of the measurements. {@link
   * CostPlot} compares where there is no such order.
   *
   * @param title above the plot
   * @param across what the points lie over, in words
   * @param unit of the heights, in words
   * @param series points of each line, by its name; a line without points is left out
   * @param logarithmic whether both axes are: all points must be above zero then
   */
  @JsonTypeName("lines")
  public record LinePlot(
      String title,
      String across,
      String unit,
      Map<String, List<Point>> series,
      boolean logarithmic)
      implements Plot {

    /** Lines over linear axes. */
    public LinePlot(String title, String across, String unit, Map<String, List<Point>> series) {
      this(title, across, unit, series, false);
    }

    /**
     * One point.
     *
     * @param x what was given
     * @param y what was measured, the middle
     * @param spread how far the measurements lie from it at most
     */
    public record Point(double x, double y, double spread) {

      /** The middle of some measurements. */
      public static Point of(double x, Spread measured) {
        return new Point(x, measured.median(), measured.deviation());
      }
    }

    @Override
    public void draw(Path file) throws IOException {
      System.setProperty("java.awt.headless", "true");
      XYChart chart =
          new XYChartBuilder()
              .width(1200)
              .height(620)
              .title(title)
              .xAxisTitle(across)
              .yAxisTitle(unit)
              .build();
      chart.getStyler().setLegendPosition(Styler.LegendPosition.OutsideE); // however many there are
      chart.getStyler().setChartBackgroundColor(Color.WHITE);
      if (logarithmic) {
        chart.getStyler().setXAxisLogarithmic(true);
        chart.getStyler().setYAxisLogarithmic(true);
      } else {
        chart.getStyler().setYAxisMin(0.0);
      }
      series.forEach(
          (name, points) -> {
            if (!points.isEmpty()) {
              chart.addSeries(
                  name,
                  points.stream().mapToDouble(Point::x).toArray(),
                  points.stream().mapToDouble(Point::y).toArray(),
                  points.stream().mapToDouble(this::shownSpread).toArray());
            }
          });
      BitmapEncoder.saveBitmap(chart, file.toString(), BitmapEncoder.BitmapFormat.PNG);
    }

    /** A logarithmic axis has no zero: there a bar ends at a tenth of the middle. */
    private double shownSpread(Point point) {
      return logarithmic ? Math.min(point.spread(), 0.9 * point.y()) : point.spread();
    }
  }
}
