package io.sluice.workloads.text;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.sluice.workloads.input.GenerateText;
import io.sluice.workloads.run.LocalRuns;
import java.nio.file.Path;
import java.util.List;
import java.util.function.Function;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class WordCountTest {
  @TempDir private Path directory;

  @Test
  void everyWordIsCountedWithACombinerAndWithout() throws Exception {
    LocalRuns runs = new LocalRuns(directory);
    runs.run(new GenerateText(), "3000", runs.path("text"));
    List<String> expected =
        runs.lines("text").stream()
            .flatMap(line -> Stream.of(line.split(" ")))
            .collect(Collectors.groupingBy(Function.identity(), Collectors.counting()))
            .entrySet()
            .stream()
            .map(count -> count.getKey() + "\t" + count.getValue())
            .sorted()
            .toList();
    for (boolean combine : new boolean[] {true, false}) {
      String output = "counts-" + combine;
      runs.run(
          new WordCount(),
          "-Dworkloads.wordcount.combine=" + combine,
          runs.path("text"),
          runs.path(output));
      assertEquals(expected, runs.sortedLines(output));
    }
  }
}
