package io.sluice.workloads.text;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import io.sluice.workloads.input.GenerateDocuments;
import io.sluice.workloads.input.GenerateDocuments.Document;
import io.sluice.workloads.run.LocalRuns;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class InvertedIndexTest {
  @TempDir private Path directory;

  @Test
  void everyWordHasTheDocumentsThatItIsIn() throws Exception {
    LocalRuns runs = new LocalRuns(directory);
    runs.run(new GenerateDocuments(), "300", runs.path("documents"));
    runs.run(new InvertedIndex(), runs.path("documents"), runs.path("index"));
    Map<String, Map<String, Integer>> index = new TreeMap<>();
    for (String line : runs.lines("documents")) {
      String[] words = line.split("[\t ]");
      for (int word = 1; word < words.length; word++) {
        index.computeIfAbsent(words[word], w -> new TreeMap<>()).merge(words[0], 1, Integer::sum);
      }
    }
    List<String> expected = new ArrayList<>();
    index.forEach(
        (word, documents) -> {
          StringBuilder line = new StringBuilder(word);
          char before = '\t';
          for (Map.Entry<String, Integer> document : documents.entrySet()) {
            line.append(before).append(document.getKey()).append(':').append(document.getValue());
            before = ' ';
          }
          expected.add(line.toString());
        });
    assertEquals(expected.stream().sorted().toList(), runs.sortedLines("index"));
  }

  @Test
  void aLineWithoutANameIsAnError() {
    assertThrows(IllegalArgumentException.class, () -> Document.parse("only words"));
  }
}
