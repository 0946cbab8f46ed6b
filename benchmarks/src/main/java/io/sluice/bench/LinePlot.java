package io.sluice.bench;

import com.fasterxml.jackson.annotation.JsonTypeName;
import java.awt.Color;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.knowm.xchart.BitmapEncoder;
import org.knowm.xchart.XYChart;
import org.knowm.xchart.XYChartBuilder;
import org.knowm.xchart.style.Styler;

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
    String title, String across, String unit, Map<String, List<Point>> series, boolean logarithmic)
    implements Plot {

  /** With axes that are linear. */
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
      return new Point(
          x,
          measured.median(),
          Math.max(measured.max() - measured.median(), measured.median() - measured.min()));
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
