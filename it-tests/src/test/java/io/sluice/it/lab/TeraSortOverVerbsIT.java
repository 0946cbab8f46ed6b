package io.sluice.it.lab;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.sluice.it.cluster.PseudoCluster;
import io.sluice.it.demo.TeraSort;
import io.sluice.it.demo.Variant;
import io.sluice.it.job.JobCosts;
import io.sluice.it.job.JobProgress;
import java.util.Map;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestReporter;

/** TeraSort on stock Hadoop's daemons: what is not read in place is read over the RDMA device. */
class TeraSortOverVerbsIT {
  private static final long SIZE_BYTES = 10_000_000;

  private static PseudoCluster cluster;

  @BeforeAll
  static void startCluster() {
    cluster = LabCluster.start();
  }

  @AfterAll
  static void stopCluster() {
    if (cluster != null) {
      cluster.close();
    }
  }

  @Test
  void sortsAsStockDoes(TestReporter reporter) {
    TeraSort tera = new TeraSort(cluster, "/tera", SIZE_BYTES);
    tera.generate(JobProgress.SILENT);
    tera.sort(Variant.STOCK, Map.of(), JobProgress.SILENT);
    JobCosts costs = tera.sort(Variant.SLUICE, Map.of(), JobProgress.SILENT);
    reporter.publishEntry("sluice", costs.sluice().toString());
    assertEquals(Map.of(), costs.path().fallbacks());
    assertTrue(costs.path().transport().contains("ucx"), costs.path().transport());
  }
}
