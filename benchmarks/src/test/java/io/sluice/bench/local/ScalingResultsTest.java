package io.sluice.bench.local;

import static org.junit.jupiter.api.Assertions.assertTrue;

import io.sluice.bench.local.EngineSchedule.JobHistoryTimes;
import io.sluice.bench.local.EngineSchedule.JobHistoryTimes.Attempt;
import io.sluice.bench.local.ScalingBench.ScalingJobs.ScalingRun;
import io.sluice.bench.local.ScalingBench.ScalingJobs.ScalingVariant;
import io.sluice.bench.local.ScalingBench.ScalingJobs.ScalingWorkload;
import io.sluice.it.local.LocalJobClient.ProcessCosts;
import io.sluice.it.report.ResultFiles;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ScalingResultsTest {

  /** Two maps that read for a second each and sort in no time, and nothing before or after. */
  private static ScalingRun run(long wallMs) {
    List<Attempt> maps = List.of(new Attempt(0, 1_000, 1_000), new Attempt(1_000, 2_000, 2_000));
    ProcessCosts costs = new ProcessCosts(wallMs, 2_000, 10, 20, 0, 0, 0);
    return new ScalingRun(costs, wallMs, List.of(new JobHistoryTimes(maps, List.of())));
  }

  private static Map<ScalingWorkload, ScalingRun> both(long wallMs) {
    Map<ScalingWorkload, ScalingRun> runs = new EnumMap<>(ScalingWorkload.class);
    for (ScalingWorkload workload : ScalingWorkload.values()) {
      runs.put(workload, run(wallMs));
    }
    return runs;
  }

  @Test
  void thePageSaysWhatIsMeasuredAndWhatIsSimulated(@TempDir Path directory) throws Exception {
    Map<ScalingWorkload, List<Contention.Point>> waits = new EnumMap<>(ScalingWorkload.class);
    waits.put(ScalingWorkload.TERA_SORT, List.of(new Contention.Point("A", "B.c", true, 3, 20)));
    waits.put(ScalingWorkload.LDA, List.of());
    ScalingResults results = new ScalingResults("3.5.0", 1_000_000, waits);
    results
        .comparison()
        .add(
            Map.of(
                ScalingVariant.ONE_CORE, both(2_000),
                ScalingVariant.BESIDE_ANOTHER, both(2_500),
                ScalingVariant.ONE, both(2_000),
                ScalingVariant.TWO, both(1_250)));
    results.bench().page().write(new ResultFiles(directory));
    String page = Files.readString(directory.resolve("bench-scaling.md"));
    // 2.0 / (2 * 1.25); a tenth of all is under the lock, which two threads can share.
    assertTrue(page.contains("| LDA, wall of the process | 80 % | 80 % | 80 % |"), page);
    assertTrue(page.contains("| 2 | 2.00 | 100 % | 2.00 | 2.00 | 100 % | 2.00 |  |"), page);
    assertTrue(page.contains("| 8 | 2.00 | 25 % | 2.00 | 2.00 | 25 % | 2.00 | 78–97 % |"), page);
    assertTrue(page.contains("| TeraSort | A | B.c | lock | 3 | 0.020 s |"), page);
    assertTrue(page.contains("under the most contended lock 10.0 % of the tasks' time"), page);
    assertTrue(Files.size(directory.resolve("bench-scaling.png")) > 0);
    assertTrue(Files.readString(directory.resolve("bench-scaling.json")).contains("readMs"));
  }
}
