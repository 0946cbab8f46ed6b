package io.sluice.workloads.table;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.sluice.workloads.input.GenerateTables;
import io.sluice.workloads.run.LocalRuns;
import java.math.BigDecimal;
import java.math.RoundingMode;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class TablesTest {
  @TempDir private Path directory;
  private LocalRuns runs;

  @BeforeEach
  void write() throws Exception {
    runs = new LocalRuns(directory);
    runs.run(new GenerateTables(), "2000", runs.path("tables"));
  }

  private List<String[]> table(String name) throws Exception {
    return runs.lines("tables/" + name).stream().map(line -> line.split(",")).toList();
  }

  @Test
  void visitsAreOfPagesThatAreThere() throws Exception {
    List<String> pages = table("rankings").stream().map(columns -> columns[0]).toList();
    assertEquals(200, pages.size());
    for (String[] visit : table("uservisits")) {
      assertEquals(9, visit.length);
      assertTrue(pages.contains(visit[1]), visit[1]);
    }
    assertEquals(
        200, table("uservisits").stream().filter(v -> v[2].startsWith("1999")).count(), 60);
  }

  @Test
  void revenuesOfAVisitorAreAdded() throws Exception {
    Map<String, BigDecimal> sums = new TreeMap<>();
    for (String[] visit : table("uservisits")) {
      sums.merge(visit[0], new BigDecimal(visit[3]), BigDecimal::add);
    }
    List<String> expected = new ArrayList<>();
    sums.forEach((address, sum) -> expected.add(address + "\t" + sum.toPlainString()));
    expected.sort(null);
    runs.run(new Aggregation(), runs.path("tables/uservisits"), runs.path("sums"));
    assertEquals(expected, runs.sortedLines("sums"));
  }

  @Test
  void visitsOfTheYearAreJoinedWithTheirPages() throws Exception {
    Map<String, BigDecimal> ranks = new HashMap<>();
    for (String[] page : table("rankings")) {
      ranks.put(page[0], new BigDecimal(page[1]));
    }
    Map<String, List<String[]>> visits = new TreeMap<>();
    for (String[] visit : table("uservisits")) {
      if (visit[2].startsWith("1999") || visit[2].equals("2000-01-01")) {
        visits.computeIfAbsent(visit[0], address -> new ArrayList<>()).add(visit);
      }
    }
    Map<String, BigDecimal> revenues = new HashMap<>();
    visits.forEach(
        (address, own) ->
            revenues.put(
                address,
                own.stream()
                    .map(visit -> new BigDecimal(visit[3]))
                    .reduce(BigDecimal.ZERO, BigDecimal::add)));
    List<String> expected = new ArrayList<>();
    visits.keySet().stream()
        .sorted(Comparator.comparing(revenues::get).reversed())
        .forEach(
            address -> {
              List<String[]> own = visits.get(address);
              BigDecimal sum =
                  own.stream()
                      .map(visit -> ranks.get(visit[1]))
                      .reduce(BigDecimal.ZERO, BigDecimal::add);
              BigDecimal mean = sum.divide(new BigDecimal(own.size()), 6, RoundingMode.DOWN);
              expected.add(address + "\t" + mean + "\t" + revenues.get(address));
            });
    runs.run(
        new Join(),
        runs.path("tables/rankings"),
        runs.path("tables/uservisits"),
        runs.path("joined"));
    assertEquals(expected, runs.lines("joined"));
  }
}
