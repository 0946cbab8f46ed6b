package io.sluice.bench.spark;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.sluice.bench.spark.SparkReports.SparkRun;
import io.sluice.it.spark.jobs.ShuffleJob.ShuffleReport;
import io.sluice.it.spark.jobs.Workload;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;

class SparkReportsTest {
  @Test
  void theFirstTheSecondAndTheFourthRunAreLookedAt() {
    List<ShuffleReport> reports = new ArrayList<>();
    for (long wallMs = 100; wallMs < 104; wallMs++) {
      reports.add(report(Workload.SQL_SORT, wallMs));
      reports.add(report(Workload.SQL_JOIN, 2 * wallMs));
    }

    SparkReports sorted = SparkReports.of(reports);

    assertEquals(100, sorted.get(SparkRun.COLD, Workload.SQL_SORT).wallMs());
    assertEquals(101, sorted.get(SparkRun.SECOND, Workload.SQL_SORT).wallMs());
    assertEquals(103, sorted.get(SparkRun.WARM, Workload.SQL_SORT).wallMs());
    assertEquals(202, sorted.get(SparkRun.SECOND, Workload.SQL_JOIN).wallMs());
    assertEquals(
        Set.of(Workload.SQL_SORT, Workload.SQL_JOIN), sorted.byRun().get(SparkRun.COLD).keySet());
  }

  private static ShuffleReport report(Workload workload, long wallMs) {
    return new ShuffleReport(
        workload,
        0,
        "",
        true,
        new TreeSet<>(),
        "",
        new TreeMap<>(),
        new TreeMap<>(),
        null,
        0,
        0,
        new TreeMap<>(),
        wallMs);
  }
}
