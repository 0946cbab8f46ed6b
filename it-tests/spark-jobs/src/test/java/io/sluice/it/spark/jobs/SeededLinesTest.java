package io.sluice.it.spark.jobs;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.sluice.it.spark.jobs.PersistBenchmarkJob.SeededLines;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class SeededLinesTest {
  private static final int BYTES = 1_000_000;

  private static List<String> lines(long seed, int block) {
    List<String> lines = new ArrayList<>();
    new SeededLines(seed, block, BYTES).forEachRemaining(lines::add);
    return lines;
  }

  @Test
  void aSeedAndABlockHaveTheirLines() {
    assertEquals(lines(7, 3), lines(7, 3));
    assertNotEquals(lines(7, 3), lines(7, 4));
    assertNotEquals(lines(7, 3), lines(8, 3));
  }

  @Test
  void theyHaveAsManyBytesAsAsked() {
    List<String> lines = lines(7, 0);
    int bytes = lines.stream().mapToInt(line -> line.length() + 1).sum();
    int withoutTheLast = bytes - lines.get(lines.size() - 1).length() - 1;
    assertTrue(withoutTheLast < BYTES && bytes >= BYTES, bytes + " and " + withoutTheLast);
  }

  @Test
  void everyLineHasItsWords() {
    lines(7, 0)
        .forEach(line -> assertTrue(line.matches("[a-z]+( [a-z]+){15}"), "not a line: " + line));
  }

  /** ln 2 / ln 1,000,000 = 5.0 % of all words are the first; no other is as frequent. */
  @Test
  void fewWordsAreFrequent() {
    Map<String, Integer> counts = new HashMap<>();
    lines(7, 0)
        .forEach(line -> List.of(line.split(" ")).forEach(w -> counts.merge(w, 1, Integer::sum)));
    int all = counts.values().stream().mapToInt(Integer::intValue).sum();
    assertEquals(0.05, Collections.max(counts.values()) / (double) all, 0.005);
    assertTrue(counts.size() > all / 10, counts.size() + " words of " + all);
  }
}
