package io.sluice.bench.codecs;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;

class SortedRunsTest {
  private static List<List<SortedRuns.KeyValue>> made(int runs, int records) throws IOException {
    List<List<SortedRuns.KeyValue>> made = new ArrayList<>();
    new SortedRuns().make(runs, records, (number, run) -> made.add(run));
    return made;
  }

  private static List<SortedRuns.KeyValue> sorted(List<List<SortedRuns.KeyValue>> runs) {
    return runs.stream().flatMap(List::stream).sorted().toList();
  }

  @Test
  void recordsAreTheSameHoweverManyRunsThereAre() throws IOException {
    List<SortedRuns.KeyValue> all = sorted(made(1, 1_000));
    assertEquals(1_000, new TreeSet<>(all).size(), "no key comes twice");
    assertEquals(all, sorted(made(7, 1_000)));
    assertEquals(all, sorted(made(1_000, 1_000)));
  }

  @Test
  void runsAreSortedAndAboutAsLong() throws IOException {
    for (List<SortedRuns.KeyValue> run : made(7, 1_000)) {
      assertEquals(run.stream().sorted().toList(), run);
      assertTrue(run.size() == 142 || run.size() == 143, run.size() + " records");
    }
  }
}
