package io.sluice.workloads.learn;

import io.sluice.workloads.run.Decimal;
import java.io.Serializable;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.StringJoiner;
import java.util.stream.Stream;

/**
 * The centres of clusters, and how many points each was made of.
 *
 * <p>Coordinates are millionths. Sums of points are longs, whose sum has no order; a centre is such
 * a sum divided by the count and rounded down; which centre is next to a point is decided in
 * doubles, from the same numbers in the same order for each point. So the same points make the same
 * centres on every engine.
 *
 * <p>Thread contract: immutable.
 */
public final class Centres implements Serializable {
  private static final long serialVersionUID = 1;

  private final long[][] centres;
  private final long[] counts;

  private Centres(long[][] centres, long[] counts) {
    this.centres = centres;
    this.counts = counts;
  }

  /** The first points that differ, as many as there shall be clusters. */
  public static Centres first(int clusters, Stream<String> points) {
    List<String> chosen = points.distinct().limit(clusters).toList();
    if (chosen.size() < clusters) {
      throw new IllegalArgumentException(
          "only " + chosen.size() + " different points for " + clusters + " clusters");
    }
    return new Centres(
        chosen.stream().map(Centres::point).toArray(long[][]::new), new long[clusters]);
  }

  /** Those that {@link #lines} wrote. */
  public static Centres parse(Stream<String> lines) {
    List<String[]> all = lines.map(line -> line.split("\t")).toList();
    return new Centres(
        all.stream().map(fields -> point(fields[2])).toArray(long[][]::new),
        all.stream().mapToLong(fields -> Long.parseLong(fields[1])).toArray());
  }

  /** A point of its line. */
  public static long[] point(String line) {
    String[] coordinates = line.split(",");
    long[] point = new long[coordinates.length];
    Arrays.setAll(point, i -> Decimal.MICRO.parse(coordinates[i]));
    return point;
  }

  /** What is added for a point: one, and its coordinates. */
  public static long[] part(long[] point) {
    long[] part = new long[point.length + 1];
    part[0] = 1;
    System.arraycopy(point, 0, part, 1, point.length);
    return part;
  }

  /** The number of the centre next to a point; of several, the first. */
  public int nearest(long[] point) {
    int nearest = -1;
    double least = Double.POSITIVE_INFINITY;
    for (int i = 0; i < centres.length; i++) {
      double distance = 0;
      for (int j = 0; j < point.length; j++) {
        double along = point[j] - centres[i][j];
        distance += along * along;
      }
      if (distance < least) {
        least = distance;
        nearest = i;
      }
    }
    return nearest;
  }

  /**
   * Those of the next round. A cluster without points stays where it is.
   *
   * @param sums of {@link #part}, by the number of the centre
   */
  public Centres moved(Map<Integer, long[]> sums) {
    long[][] moved = centres.clone();
    long[] made = new long[counts.length];
    sums.forEach(
        (cluster, sum) -> {
          made[cluster] = sum[0];
          long[] centre = new long[sum.length - 1];
          Arrays.setAll(centre, i -> Math.floorDiv(sum[i + 1], sum[0]));
          moved[cluster] = centre;
        });
    return new Centres(moved, made);
  }

  /** {@code number count x,y,...} of each. */
  public List<String> lines() {
    List<String> lines = new ArrayList<>();
    for (int i = 0; i < centres.length; i++) {
      StringJoiner point = new StringJoiner(",");
      for (long coordinate : centres[i]) {
        point.add(Decimal.MICRO.format(coordinate));
      }
      lines.add(i + "\t" + counts[i] + "\t" + point);
    }
    return lines;
  }
}
