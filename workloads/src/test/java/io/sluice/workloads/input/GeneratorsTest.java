package io.sluice.workloads.input;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.sluice.workloads.input.GenerateText.Vocabulary;
import io.sluice.workloads.run.Decimal;
import io.sluice.workloads.run.LocalRuns;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.apache.hadoop.util.Tool;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class GeneratorsTest {
  @TempDir private Path directory;
  private LocalRuns runs;

  @BeforeEach
  void start() {
    runs = new LocalRuns(directory);
  }

  private static Tool generator(Class<? extends Tool> kind) throws ReflectiveOperationException {
    return kind.getConstructor().newInstance();
  }

  private List<String> made(Class<? extends Tool> kind, String output, String... options)
      throws Exception {
    List<String> arguments = new ArrayList<>();
    for (String option : options) {
      arguments.add("-Dworkloads." + option);
    }
    arguments.addAll(List.of("1000", runs.path(output)));
    runs.run(generator(kind), arguments.toArray(String[]::new));
    return runs.lines(output);
  }

  @ParameterizedTest
  @ValueSource(
      classes = {
        GenerateAssociations.class,
        GenerateText.class,
        GenerateDocuments.class,
        GeneratePoints.class,
        GenerateGraph.class
      })
  void theSeedAloneDecidesWhatIsMade(Class<? extends Tool> kind) throws Exception {
    List<String> lines = made(kind, "four");
    assertEquals(1000, lines.size());
    assertEquals(lines, made(kind, "seven", "generate.files=7"));
    List<String> others = made(kind, "other", "generate.seed=2");
    assertNotEquals(lines, others);
    assertNotEquals(lines.get(1), others.get(0));
  }

  @Test
  void wordsAreAsFrequentAndAsLongAsThoseOfText() throws Exception {
    Map<String, Integer> counts = new HashMap<>();
    long letters = 0;
    for (String line : made(GenerateText.class, "text")) {
      assertEquals(12, line.split(" ").length, line);
      for (String word : line.split(" ")) {
        counts.merge(word, 1, Integer::sum);
        letters += word.length();
      }
    }
    // English: 4.8; of few words with short ones of few letters, somewhat more.
    double mean = letters / 12_000.0;
    assertTrue(mean > 3.5 && mean < 6.5, mean + " letters");
    List<Integer> byRank = counts.values().stream().sorted((a, b) -> b - a).toList();
    // 1/H(100,000) of 12,000 words, and half and a tenth of them.
    assertTrue(byRank.get(0) > 850 && byRank.get(0) < 1150, byRank.get(0) + " of the first");
    assertTrue(byRank.get(1) > 400 && byRank.get(1) < 600, byRank.get(1) + " of the second");
    assertTrue(byRank.get(9) > 60 && byRank.get(9) < 140, byRank.get(9) + " of the tenth");
    assertTrue(counts.size() > 3000, counts.size() + " words");
  }

  @Test
  void documentsHaveNamesInOrderAndTopics() throws Exception {
    List<String> lines = made(GenerateDocuments.class, "documents", "documents.topics=2");
    assertEquals(lines.stream().sorted().toList(), lines);
    String first = new Vocabulary(10_000).word(0);
    List<Long> frequency =
        lines.stream()
            .map(
                line ->
                    1000
                        * Stream.of(line.split("[\t ]")).filter(first::equals).count()
                        / line.split(" ").length)
            .toList();
    // 8.7 or 1.6 per cent, of those whose main topic has it in front and the others.
    long often = frequency.stream().filter(thousandths -> thousandths > 50).count();
    assertTrue(often > 350 && often < 600, often + " documents");
  }

  @Test
  void pointsLieAroundTheirCentres() throws Exception {
    List<String> lines =
        made(GeneratePoints.class, "points", "points.clusters=1", "points.dimensions=2");
    for (int i : new int[] {0, 1}) {
      double[] values =
          lines.stream()
              .mapToDouble(line -> Decimal.MICRO.toDouble(Decimal.MICRO.parse(line.split(",")[i])))
              .toArray();
      double mean = Arrays.stream(values).average().orElseThrow();
      double variance = Arrays.stream(values).map(v -> (v - mean) * (v - mean)).sum() / 1000;
      assertTrue(variance > 20 && variance < 30, variance + " around " + mean);
    }
  }

  @Test
  void edgesAreThoseOfTheLists() throws Exception {
    List<String> expected =
        made(GenerateGraph.class, "lists").stream()
            .map(line -> line.split("\t"))
            .filter(list -> list.length > 1)
            .flatMap(list -> Stream.of(list[1].split(",")).map(to -> list[0] + "," + to))
            .toList();
    assertEquals(expected, made(GenerateGraph.class, "edges", "graph.edges=true"));
    Map<String, Integer> towards = new HashMap<>();
    expected.forEach(edge -> towards.merge(edge.split(",")[1], 1, Integer::sum));
    List<Integer> counts = towards.values().stream().sorted((a, b) -> b - a).toList();
    assertTrue(counts.get(0) > 10 * counts.get(counts.size() / 2), counts.toString());
  }

  @Test
  void ranksAreDrawnAsOftenAsZipfSays() {
    Zipf zipf = new Zipf(4, 2);
    int[] counts = new int[4];
    SplittableRandom random = new SplittableRandom(3);
    IntStream.range(0, 100_000).forEach(i -> counts[zipf.draw(random)]++);
    double first = 100_000 / (1 + 1.0 / 4 + 1.0 / 9 + 1.0 / 16);
    for (int rank = 0; rank < 4; rank++) {
      assertEquals(first / (rank + 1) / (rank + 1), counts[rank], 600);
    }
  }
}
