package io.sluice.spark.report;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.sluice.spark.report.ExecutorReport.TierUse;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

class ExecutorReportsTest {
  private long nowNs = Long.MAX_VALUE - TimeUnit.MINUTES.toNanos(3); // the clock may run over
  private final ExecutorReports reports = new ExecutorReports(2, () -> nowNs);

  private void add(String executorId, long takenAtMs) {
    reports.add(
        new ExecutorReport(
            executorId,
            "host",
            takenAtMs,
            "open",
            List.of(),
            TierUse.NONE,
            TierUse.NONE,
            0,
            0,
            Map.of(),
            Map.of(),
            TierUse.NONE,
            0));
  }

  private List<String> ids() {
    return reports.all().stream().map(ExecutorReport::executorId).toList();
  }

  @Test
  void theLastReportOfEachExecutorCounts() {
    add("10", 1);
    add("driver", 2);
    add("9", 3);
    add("10", 4);
    assertEquals(List.of("9", "10", "driver"), ids());
    assertEquals(4, reports.all().get(1).takenAtMs());
  }

  @Test
  void thoseSinceATimeAreTold() {
    add("1", 1);
    add("2", 2);
    nowNs += 5;
    add("10", 3);
    add("2", 4);
    assertEquals(
        List.of("2", "10"), reports.since(nowNs).stream().map(ExecutorReport::executorId).toList());
    assertEquals(List.of(), reports.since(nowNs + 1));
  }

  @Test
  void ofExecutorsThatReportNoMoreTheLatestStay() {
    for (int id = 0; id < 5; id++) {
      add(Integer.toString(id), id);
    }
    nowNs += TimeUnit.MINUTES.toNanos(1);
    add("1", 6); // reports still
    add("driver", 7);
    assertEquals(List.of("0", "1", "2", "3", "4", "driver"), ids(), "any number of these");
    nowNs += TimeUnit.MINUTES.toNanos(1) + 1;
    add("driver", 8);
    assertEquals(List.of("1", "3", "4", "driver"), ids());
    nowNs += TimeUnit.MINUTES.toNanos(5);
    add("driver", 9);
    assertEquals(List.of("1", "4", "driver"), ids());
  }
}
