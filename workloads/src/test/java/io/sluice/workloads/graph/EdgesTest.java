package io.sluice.workloads.graph;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.sluice.workloads.graph.Radius.Sketch;
import io.sluice.workloads.run.LocalRuns;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.LongStream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Programs over edges, on a sparse graph of several components and long ways. */
@Tag("slow")
class EdgesTest {
  private static final int VERTICES = 300;
  private static final int EDGES = 200;

  @TempDir private Path directory;
  private LocalRuns runs;
  private String input;
  private final Map<Long, Set<Long>> neighbours = new TreeMap<>();
  private final Map<Long, Long> degrees = new TreeMap<>();

  @BeforeEach
  void write() throws Exception {
    runs = new LocalRuns(directory);
    SplittableRandom random = new SplittableRandom(11);
    List<String> lines = new ArrayList<>();
    for (int edge = 0; edge < EDGES; edge++) {
      long from = random.nextInt(VERTICES);
      long to = random.nextInt(VERTICES);
      lines.add(from + "," + to);
      neighbours.computeIfAbsent(from, vertex -> new TreeSet<>()).add(to);
      neighbours.computeIfAbsent(to, vertex -> new TreeSet<>()).add(from);
      degrees.merge(from, 1L, Long::sum);
      degrees.merge(to, 1L, Long::sum);
    }
    input = runs.write("edges", lines);
  }

  /** What is reached from a vertex in 0, 1, 2 steps and so on, until it is all. */
  private List<Set<Long>> reached(long vertex) {
    List<Set<Long>> balls = new ArrayList<>(List.of(Set.of(vertex)));
    while (true) {
      Set<Long> last = balls.get(balls.size() - 1);
      Set<Long> next = new HashSet<>(last);
      last.forEach(member -> next.addAll(neighbours.get(member)));
      if (next.equals(last)) {
        return balls;
      }
      balls.add(next);
    }
  }

  private List<String> sorted(Map<Long, ?> results) {
    List<String> lines = new ArrayList<>();
    results.forEach((key, value) -> lines.add(key + "\t" + value));
    lines.sort(null);
    return lines;
  }

  @Test
  void aComponentHasTheNameOfItsLeastVertex() throws Exception {
    Map<Long, Long> expected = new TreeMap<>();
    for (long vertex : neighbours.keySet()) {
      List<Set<Long>> balls = reached(vertex);
      expected.put(vertex, balls.get(balls.size() - 1).stream().min(Long::compare).orElseThrow());
    }
    runs.run(new ConnectedComponents(), input, runs.path("components"), "100");
    assertEquals(sorted(expected), runs.sortedLines("components"));
  }

  @Test
  void thereAreNoMoreRoundsThanAllowed() throws Exception {
    Map<Long, Long> expected = new TreeMap<>();
    for (long vertex : neighbours.keySet()) {
      List<Set<Long>> balls = reached(vertex);
      expected.put(
          vertex,
          balls.get(Math.min(2, balls.size() - 1)).stream().min(Long::compare).orElseThrow());
    }
    runs.run(new ConnectedComponents(), input, runs.path("components"), "2");
    assertEquals(sorted(expected), runs.sortedLines("components"));
  }

  @Test
  @Tag("campaign")
  void aRadiusIsTheStepsToNearlyAllThatIsReached() throws Exception {
    Map<Long, Integer> expected = new TreeMap<>();
    for (long vertex : neighbours.keySet()) {
      List<Double> sizes =
          reached(vertex).stream()
              .map(
                  ball ->
                      Sketch.size(
                          ball.stream().map(Sketch::of).reduce(Sketch::union).orElseThrow()))
              .toList();
      double enough = 0.9 * sizes.get(sizes.size() - 1);
      int radius = 0;
      while (sizes.get(radius) < enough) {
        radius++;
      }
      expected.put(vertex, radius);
    }
    runs.run(new Radius(), input, runs.path("radius"), "100");
    assertEquals(sorted(expected), runs.sortedLines("radius"));
    assertTrue(expected.values().stream().anyMatch(radius -> radius > 4), expected.toString());
  }

  @Test
  void degreesAreCounted() throws Exception {
    Map<Long, Long> expected = new TreeMap<>();
    degrees.values().forEach(degree -> expected.merge(degree, 1L, Long::sum));
    runs.run(new DegreeDistribution(), input, runs.path("degrees"));
    assertEquals(sorted(expected), runs.sortedLines("degrees"));
  }

  @Test
  void theSizeOfASetIsEstimated() {
    long[] masks =
        LongStream.range(0, 1000).mapToObj(Sketch::of).reduce(Sketch::union).orElseThrow();
    assertEquals(1000, Sketch.size(masks), 300);
  }
}
