package io.sluice.it.scenario;

import static org.junit.jupiter.api.Assertions.assertTrue;

import io.sluice.bench.hadoop.HadoopVariant;
import io.sluice.it.cluster.PseudoCluster;
import io.sluice.it.cluster.TaskProcess;
import io.sluice.it.jobs.ScenarioConf;
import java.io.IOException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** Containers that were sized for stock, whose maps fill their heaps. */
@ExtendWith(SharedCluster.class)
class ContainerIT {
  private static final int CONTAINER_MB = 1_024;
  private static final Scenario RECORDS =
      Scenario.newApi("container")
          .with(ScenarioConf.MAPS, GatedRun.SLOTS)
          .with(ScenarioConf.RECORDS_PER_MAP, 5_000)
          .with(ScenarioConf.MAX_VALUE_LENGTH, 1_000);

  @Test
  void aMapThatFillsItsHeapStaysWithinItsContainer(PseudoCluster cluster) throws IOException {
    String expected = StockOutput.of(cluster, RECORDS);
    Scenario scenario =
        RECORDS
            .named("full-heap")
            .with(ScenarioConf.MAP_HEAP_MB, 480)
            .with("mapreduce.task.io.sort.mb", 256)
            .with("mapreduce.map.memory.mb", CONTAINER_MB)
            .with("mapreduce.map.java.opts", "-XX:+UseSerialGC -Xmx819m");
    try (GatedRun run = GatedRun.start(cluster, scenario)) {
      for (TaskProcess map : run.maps()) {
        long peakMb = map.peakBytes() >> 20;
        assertTrue(peakMb < CONTAINER_MB, map + " has had " + peakMb + " MiB");
      }
      run.openMapGate();
      run.openReduceGate();
      run.await().allSucceededAtOnce().hasNoFallback().mapsLogged("The sort buffer has ");
    }
    Oracle.assertSameOutput(cluster, expected, scenario.output(HadoopVariant.SLUICE));
  }
}
