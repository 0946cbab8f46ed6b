package io.sluice.it.scenario;

import static org.junit.jupiter.api.Assertions.assertTrue;

import io.sluice.bench.hadoop.HadoopVariant;
import io.sluice.it.cluster.PseudoCluster;
import io.sluice.it.cluster.TaskProcess;
import io.sluice.it.jobs.ScenarioConf;
import java.io.IOException;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** Containers that were sized for stock, whose tasks fill their heaps. */
@ExtendWith(SharedCluster.class)
class ContainerIT {
  private static final int CONTAINER_MB = 1_024;
  private static final int KEYS = 1_000;

  /** What fits into the two thirds of such a heap that are not for new objects. */
  private static final int OWN_MB = 480;

  private static final Scenario RECORDS =
      Scenario.newApi("container")
          .with(ScenarioConf.MAPS, GatedRun.SLOTS)
          .with(ScenarioConf.RECORDS_PER_MAP, 5_000)
          .with(ScenarioConf.DISTINCT_KEYS, KEYS)
          .with(ScenarioConf.MAX_VALUE_LENGTH, 1_000);

  @Test
  void tasksThatFillTheirHeapsStayWithinTheirContainers(PseudoCluster cluster) throws IOException {
    String expected = StockOutput.of(cluster, RECORDS);
    Scenario scenario =
        RECORDS
            .named("full-heap")
            .with(ScenarioConf.MAP_HEAP_MB, OWN_MB)
            .with("mapreduce.task.io.sort.mb", 256)
            .with("mapreduce.map.memory.mb", CONTAINER_MB)
            .with("mapreduce.map.java.opts", "-XX:+UseSerialGC -Xmx819m")
            .with(ScenarioConf.REDUCE_HEAP_MB, OWN_MB)
            .with(ScenarioConf.REDUCE_GATE_KEYS, KEYS - 10)
            .with("mapreduce.reduce.memory.mb", CONTAINER_MB)
            // All of it counts, also what the reduce does not fill.
            .with(
                "mapreduce.reduce.java.opts",
                "-XX:+UseSerialGC -Xms819m -Xmx819m -XX:+AlwaysPreTouch");
    try (GatedRun run = GatedRun.start(cluster, scenario)) {
      assertFit(run.maps());
      run.openMapGate();
      assertFit(run.awaitReducesAtGate(1)); // which have read nearly all
      run.openReduceGate();
      run.await()
          .allSucceededAtOnce()
          .readBothWays()
          .mapsLogged("The sort buffer has ")
          .reducesLogged("Windows have ");
    }
    Oracle.assertSameOutput(cluster, expected, scenario.output(HadoopVariant.SLUICE));
  }

  private static void assertFit(List<TaskProcess> tasks) throws IOException {
    for (TaskProcess task : tasks) {
      long peakMb = task.peakBytes() >> 20;
      assertTrue(peakMb < CONTAINER_MB, task + " has had " + peakMb + " MiB");
    }
  }
}
