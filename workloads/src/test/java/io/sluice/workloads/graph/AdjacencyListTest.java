package io.sluice.workloads.graph;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.sluice.workloads.input.GenerateGraph;
import io.sluice.workloads.run.LocalRuns;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class AdjacencyListTest {
  @TempDir private Path directory;

  /** The other ends of the edges that have this vertex at one. */
  private static String others(List<String[]> edges, String vertex, int at) {
    return edges.stream()
        .filter(edge -> edge[at].equals(vertex))
        .map(edge -> edge[1 - at])
        .distinct()
        .sorted()
        .collect(Collectors.joining(","));
  }

  @Test
  void everyVertexHasTheOtherEndsOfItsEdges() throws Exception {
    LocalRuns runs = new LocalRuns(directory);
    runs.run(new GenerateGraph(), "-Dworkloads.graph.edges=true", "100", runs.path("edges"));
    List<String[]> edges = runs.lines("edges").stream().map(line -> line.split(",")).toList();
    Set<String> vertices = edges.stream().flatMap(Stream::of).collect(Collectors.toSet());
    Set<String> expected = new TreeSet<>();
    for (String vertex : vertices) {
      String from = others(edges, vertex, 1);
      expected.add(vertex + "\tfrom{" + from + "}:to{" + others(edges, vertex, 0) + "}");
    }
    runs.run(new AdjacencyList(), runs.path("edges"), runs.path("lists"));
    assertEquals(List.copyOf(expected), runs.sortedLines("lists"));
  }
}
