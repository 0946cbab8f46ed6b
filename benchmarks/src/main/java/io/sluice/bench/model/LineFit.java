package io.sluice.bench.model;

import java.util.List;

/**
 * A cost that grows with a size: {@code base + slope * x}, neither of them negative.
 *
 * <p>Thread contract: immutable.
 *
 * @param base for nothing
 * @param slope for each unit of size
 */
record LineFit(double base, double slope) {

  /**
   * What was measured.
   *
   * @param x the size
   * @param y the cost
   */
  record Point(double x, double y) {}

  /**
   * The line with the least sum of squared errors. If it falls, that is the mean, and if it begins
   * below zero, the best through the origin.
   *
   * @throws IllegalArgumentException if there are not two different sizes
   */
  static LineFit of(List<Point> points) {
    if (points.stream().mapToDouble(Point::x).distinct().count() < 2) {
      throw new IllegalArgumentException("a line needs two sizes, got " + points);
    }
    double meanX = points.stream().mapToDouble(Point::x).average().orElseThrow();
    double meanY = points.stream().mapToDouble(Point::y).average().orElseThrow();
    double xy = points.stream().mapToDouble(p -> (p.x() - meanX) * (p.y() - meanY)).sum();
    double xx = points.stream().mapToDouble(p -> (p.x() - meanX) * (p.x() - meanX)).sum();
    double slope = xy / xx;
    double base = meanY - slope * meanX;
    if (slope < 0) {
      return new LineFit(Math.max(0, meanY), 0);
    }
    return base < 0 ? throughOrigin(points) : new LineFit(base, slope);
  }

  private static LineFit throughOrigin(List<Point> points) {
    double xy = points.stream().mapToDouble(p -> p.x() * p.y()).sum();
    double xx = points.stream().mapToDouble(p -> p.x() * p.x()).sum();
    return new LineFit(0, Math.max(0, xy / xx));
  }

  double at(double x) {
    return base + slope * x;
  }
}
