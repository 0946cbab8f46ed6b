package io.sluice.it.scenario;

import static org.junit.jupiter.api.Assertions.assertAll;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.sluice.it.cluster.PseudoCluster;
import io.sluice.it.demo.TeraSort;
import io.sluice.it.demo.Variant;
import io.sluice.it.job.JobCosts;
import io.sluice.it.job.JobProgress;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** The harness itself: stock's TeraSort runs, validates, and every figure of its costs is there. */
@ExtendWith(SharedCluster.class)
class StockTeraSortIT {
  private static final long SIZE_BYTES = 20_000_000;

  @Test
  void stockTeraSortIsValidAndItsCostsAreMeasured(PseudoCluster cluster) {
    TeraSort tera = new TeraSort(cluster, "/stock-terasort", SIZE_BYTES);
    tera.generate(JobProgress.SILENT);
    JobCosts costs =
        tera.sort(
            Variant.STOCK,
            // Small enough for several spills and a merge, on both sides.
            Map.of("mapreduce.task.io.sort.mb", "4"),
            JobProgress.SILENT);
    tera.validate(Variant.STOCK, JobProgress.SILENT);
    assertAll(
        () -> assertTrue(costs.wallMs() > 0, "wall"),
        () -> assertTrue(costs.cpuMs() > 0, "CPU"),
        () -> assertTrue(costs.maps().collectMs() > 0, "collect"),
        () -> assertTrue(costs.maps().spillMs() > 0, "spill"),
        () -> assertTrue(costs.maps().mergeMs() > 0, "merge"),
        () -> assertTrue(costs.reduceShuffleMs() > 0, "shuffle"),
        () -> assertTrue(costs.nodeManagerCpuMs() > 0, "NodeManagers' CPU"),
        () -> assertTrue(costs.localWrittenBytes() > 2 * SIZE_BYTES, "spills and merges on disk"),
        () -> assertTrue(costs.localReadBytes() > SIZE_BYTES, "merges read"),
        () -> assertEquals(Map.of(), costs.sluice(), "stock has no counters of Sluice"),
        () -> assertEquals("http", costs.path().transport()));
  }
}
