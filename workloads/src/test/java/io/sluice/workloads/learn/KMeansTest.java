package io.sluice.workloads.learn;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.sluice.workloads.input.GeneratePoints;
import io.sluice.workloads.learn.KMeans.Centres;
import io.sluice.workloads.run.LocalRuns;
import java.math.BigDecimal;
import java.math.RoundingMode;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class KMeansTest {
  private static final int CLUSTERS = 5;
  private static final int ROUNDS = 4;

  @TempDir private Path directory;
  private LocalRuns runs;

  @BeforeEach
  void start() {
    runs = new LocalRuns(directory);
  }

  private static List<BigDecimal> point(String line) {
    return Stream.of(line.split(",")).map(BigDecimal::new).toList();
  }

  private static BigDecimal distance(List<BigDecimal> one, List<BigDecimal> other) {
    BigDecimal sum = BigDecimal.ZERO;
    for (int i = 0; i < one.size(); i++) {
      sum = sum.add(one.get(i).subtract(other.get(i)).pow(2));
    }
    return sum;
  }

  private static int nearest(List<List<BigDecimal>> centres, List<BigDecimal> point) {
    int nearest = 0;
    for (int i = 1; i < centres.size(); i++) {
      if (distance(centres.get(i), point).compareTo(distance(centres.get(nearest), point)) < 0) {
        nearest = i;
      }
    }
    return nearest;
  }

  private static List<BigDecimal> mean(List<List<BigDecimal>> points) {
    List<BigDecimal> mean = new ArrayList<>();
    for (int i = 0; i < points.get(0).size(); i++) {
      int at = i;
      BigDecimal sum =
          points.stream().map(point -> point.get(at)).reduce(BigDecimal.ZERO, BigDecimal::add);
      mean.add(sum.divide(BigDecimal.valueOf(points.size()), 6, RoundingMode.FLOOR));
    }
    return mean;
  }

  /** With exact decimals, all at once. */
  private static List<String> expected(List<List<BigDecimal>> points) {
    List<List<BigDecimal>> centres = new ArrayList<>(points.subList(0, CLUSTERS));
    List<List<List<BigDecimal>>> members = new ArrayList<>();
    for (int round = 0; round < ROUNDS; round++) {
      members.clear();
      for (int i = 0; i < CLUSTERS; i++) {
        members.add(new ArrayList<>());
      }
      for (List<BigDecimal> point : points) {
        members.get(nearest(centres, point)).add(point);
      }
      for (int i = 0; i < CLUSTERS; i++) {
        centres.set(i, mean(members.get(i)));
      }
    }
    List<String> lines = new ArrayList<>();
    for (int i = 0; i < CLUSTERS; i++) {
      List<String> coordinates = centres.get(i).stream().map(BigDecimal::toPlainString).toList();
      lines.add(i + "\t" + members.get(i).size() + "\t" + String.join(",", coordinates));
    }
    return lines;
  }

  @Test
  void centresMoveToTheMeanOfTheirPoints() throws Exception {
    runs.run(new GeneratePoints(), "-Dworkloads.points.clusters=5", "2000", runs.path("points"));
    List<String> expected = expected(runs.lines("points").stream().map(KMeansTest::point).toList());
    for (String combineAgain : List.of("2", "1000")) {
      String output = "centres" + combineAgain;
      runs.run(
          new KMeans(),
          "-Dmapreduce.map.combine.minspills=" + combineAgain,
          runs.path("points"),
          runs.path(output),
          "" + CLUSTERS,
          "" + ROUNDS);
      assertEquals(expected, runs.lines(output));
    }
  }

  @Test
  void aClusterWithoutPointsStaysWhereItIs() {
    Centres centres = Centres.first(2, Stream.of("1.5", "1.5", "-2"));
    assertEquals(List.of("0\t0\t1.500000", "1\t0\t-2.000000"), centres.lines());
    assertEquals(
        List.of("0\t2\t1.333333", "1\t0\t-2.000000"),
        centres.moved(Map.of(0, new long[] {2, 2_666_667})).lines());
  }
}
