package io.sluice.workloads.spark;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;

import io.sluice.workloads.graph.PageRank;
import io.sluice.workloads.input.GenerateDocuments;
import io.sluice.workloads.input.GenerateGraph;
import io.sluice.workloads.input.GeneratePoints;
import io.sluice.workloads.input.GenerateText;
import io.sluice.workloads.learn.KMeans;
import io.sluice.workloads.learn.Lda;
import io.sluice.workloads.run.LocalRuns;
import io.sluice.workloads.text.InvertedIndex;
import io.sluice.workloads.text.WordCount;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import org.apache.hadoop.util.Tool;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** On stock Spark, beside the MapReduce programs on stock's LocalJobRunner. */
@Tag("slow")
class SparkWorkloadsTest {
  @TempDir private Path directory;

  private void bothPutOutTheSame(String name, Tool program, Tool generator, String... arguments)
      throws Exception {
    LocalRuns runs = new LocalRuns(directory);
    runs.run(generator, "300", runs.path("input"));
    runs.run(program, all(runs, "mapreduce", arguments));
    SparkWorkloads.main(
        Stream.concat(Stream.of(name), Stream.of(all(runs, "spark", arguments)))
            .toArray(String[]::new));
    List<String> lines = runs.sortedLines("spark");
    assertFalse(lines.isEmpty());
    assertEquals(runs.sortedLines("mapreduce"), lines);
  }

  private static String[] all(LocalRuns runs, String output, String... arguments) {
    return Stream.concat(Stream.of(runs.path("input"), runs.path(output)), Stream.of(arguments))
        .toArray(String[]::new);
  }

  @Test
  void wordsAreCountedAsByMapReduce() throws Exception {
    bothPutOutTheSame("wordcount", new WordCount(), new GenerateText());
  }

  @Test
  void documentsAreIndexedAsByMapReduce() throws Exception {
    bothPutOutTheSame("invertedindex", new InvertedIndex(), new GenerateDocuments());
  }

  @Test
  void pointsAreClusteredAsByMapReduce() throws Exception {
    bothPutOutTheSame("kmeans", new KMeans(), new GeneratePoints(), "7", "3");
  }

  @Test
  void pagesAreRankedAsByMapReduce() throws Exception {
    bothPutOutTheSame("pagerank", new PageRank(), new GenerateGraph(), "3");
  }

  @Test
  void topicsAreFoundAsByMapReduce() throws Exception {
    bothPutOutTheSame("lda", new Lda(), new GenerateDocuments(), "4", "2");
  }

  @Test
  void anUnknownNameAndAMissingArgumentAreErrors() {
    for (String[] wrong : new String[][] {{}, {"sort"}, {"wordcount", "text"}}) {
      assertThrows(IllegalArgumentException.class, () -> SparkWorkloads.main(wrong));
    }
  }
}
