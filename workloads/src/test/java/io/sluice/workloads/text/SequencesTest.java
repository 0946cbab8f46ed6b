package io.sluice.workloads.text;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.sluice.workloads.input.GenerateText;
import io.sluice.workloads.run.LocalRuns;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class SequencesTest {
  @TempDir private Path directory;

  private static String line(String words, Map<String, Integer> counts) {
    List<String> files = new ArrayList<>();
    counts.entrySet().stream()
        .sorted(
            Map.Entry.<String, Integer>comparingByValue()
                .reversed()
                .thenComparing(Map.Entry.comparingByKey()))
        .forEach(count -> files.add(count.getValue() + "|" + count.getKey()));
    return words + "\t" + String.join(" ", files);
  }

  @Test
  void threeWordsAreCountedInEachFileAndTheFilesRanked() throws Exception {
    LocalRuns runs = new LocalRuns(directory);
    runs.run(new GenerateText(), "-Dworkloads.text.vocabulary=12", "400", runs.path("text"));
    Map<String, Map<String, Integer>> counts = new TreeMap<>();
    for (int part = 0; part < 4; part++) {
      String file = "part-0000" + part;
      for (String line : Files.readAllLines(directory.resolve("text").resolve(file))) {
        String[] words = line.split(" ");
        for (int i = 2; i < words.length; i++) {
          counts
              .computeIfAbsent(
                  words[i - 2] + "|" + words[i - 1] + "|" + words[i], key -> new HashMap<>())
              .merge(file, 1, Integer::sum);
        }
      }
    }
    List<String> sequences = new ArrayList<>();
    List<String> ranked = new ArrayList<>();
    counts.forEach(
        (words, files) -> {
          files.forEach((file, count) -> sequences.add(words + "|" + file + "\t" + count));
          ranked.add(line(words, files));
        });
    runs.run(new SequenceCount(), runs.path("text"), runs.path("sequences"));
    assertEquals(sequences.stream().sorted().toList(), runs.sortedLines("sequences"));
    runs.run(new RankedInvertedIndex(), runs.path("sequences"), runs.path("ranked"));
    assertEquals(ranked.stream().sorted().toList(), runs.sortedLines("ranked"));
  }
}
