package io.sluice.workloads.graph;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import io.sluice.workloads.input.GenerateGraph;
import io.sluice.workloads.input.GenerateGraph.Links;
import io.sluice.workloads.run.LocalRuns;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Collectors;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

@Tag("slow")
class PageRankTest {
  @TempDir private Path directory;
  private LocalRuns runs;

  @BeforeEach
  void start() {
    runs = new LocalRuns(directory);
  }

  private Map<Long, Double> ranks(String output) throws Exception {
    return runs.lines(output).stream()
        .map(line -> line.split("\t"))
        .collect(
            Collectors.toMap(
                fields -> Long.parseLong(fields[0]), fields -> Double.parseDouble(fields[1])));
  }

  /** In doubles, all at once. */
  private static double[] expected(List<String> lines, int rounds) {
    double[] ranks = new double[lines.size()];
    Arrays.fill(ranks, 1);
    for (int round = 0; round < rounds; round++) {
      double[] next = new double[ranks.length];
      double dangling = 0;
      for (int page = 0; page < ranks.length; page++) {
        String[] fields = lines.get(page).split("\t");
        if (fields.length == 1) {
          dangling += ranks[page];
        } else {
          String[] links = fields[1].split(",");
          for (String link : links) {
            next[Integer.parseInt(link)] += ranks[page] / links.length;
          }
        }
      }
      for (int page = 0; page < ranks.length; page++) {
        next[page] = 0.15 + 0.85 * (next[page] + dangling / ranks.length);
      }
      ranks = next;
    }
    return ranks;
  }

  @Test
  void ranksAreThoseOfTheFormula() throws Exception {
    runs.run(new GenerateGraph(), "500", runs.path("graph"));
    double[] expected = expected(runs.lines("graph"), 4);
    runs.run(new PageRank(), runs.path("graph"), runs.path("ranks"), "4");
    Map<Long, Double> ranks = ranks("ranks");
    assertEquals(500, ranks.size());
    ranks.forEach((page, rank) -> assertEquals(expected[page.intValue()], rank, 1e-6));
  }

  @Test
  void ranksDependNeitherOnTheNumberOfTasksNorOnWhenTheyCombine() throws Exception {
    runs.run(new GenerateGraph(), "500", runs.path("graph"));
    runs.run(new GenerateGraph(), "-Dworkloads.generate.files=1", "500", runs.path("one"));
    runs.run(new PageRank(), runs.path("graph"), runs.path("ranks"), "3");
    runs.run(
        new PageRank(),
        "-Dmapreduce.job.reduces=1",
        "-Dmapreduce.map.sort.spill.percent=0.01",
        runs.path("one"),
        runs.path("ranks of one"),
        "3");
    assertEquals(runs.sortedLines("ranks"), runs.sortedLines("ranks of one"));
  }

  @Test
  void aPageThatIsOnlyLinkedToHasARank() throws Exception {
    String graph = runs.write("graph", List.of("1\t2,3", "2\t3"));
    runs.run(new PageRank(), graph, runs.path("ranks"), "1");
    assertEquals(
        new TreeMap<>(Map.of(1L, 0.433333333, 2L, 0.858333333, 3L, 1.708333333)),
        new TreeMap<>(ranks("ranks")));
  }

  @Test
  void aLineWithoutATabIsAnError() {
    assertThrows(IllegalArgumentException.class, () -> Links.parse("1,2"));
  }
}
