package io.sluice.it.scenario;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.sluice.bench.rmr.RmrBench;
import io.sluice.bench.rmr.RmrVariant;
import io.sluice.bench.rmr.RmrWorkload;
import io.sluice.it.cluster.PseudoCluster;
import io.sluice.it.cluster.Workspace;
import io.sluice.it.report.Console;
import io.sluice.it.report.ResultFiles;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.EnumSet;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;

/** The bench of RMR-NVM's programs, in small: of one job, of several, of a job's output. */
@ExtendWith(SharedCluster.class)
@Tag("campaign")
class RmrBenchIT {
  private static final long SIZE_BYTES = 1_000_000;

  @Test
  void programsPutOutTheSameAndAllTheirJobsAreMeasured(
      PseudoCluster cluster, @TempDir Path directory) throws Exception {
    List<RmrWorkload> workloads =
        List.of(RmrWorkload.SORT, RmrWorkload.JOIN, RmrWorkload.RANKED_INVERTED_INDEX);
    RmrBench bench = new RmrBench(Workspace.find(), Console.standard(), SIZE_BYTES, workloads);
    bench.runOn(cluster, EnumSet.of(RmrVariant.STOCK, RmrVariant.SLUICE));
    bench.run(1, new ResultFiles(directory));
    JsonNode rounds =
        new ObjectMapper()
            .readTree(directory.resolve("bench-rmr-nvm.json").toFile())
            .path("rounds");
    for (RmrWorkload workload : workloads) {
      for (String variant : List.of("STOCK", "SLUICE")) {
        JsonNode costs = rounds.path(workload.name()).path(0).path(variant);
        int jobs = workload == RmrWorkload.JOIN ? 3 : 1;
        assertEquals(jobs, costs.path("jobIds").size(), costs.toString());
        assertTrue(costs.path("mapTasks").asLong() >= jobs, costs.toString());
        assertTrue(costs.path("wallMs").asLong() > 0, costs.toString());
        assertTrue(costs.path("cpuMs").asLong() > 0, costs.toString());
      }
    }
    for (String file :
        List.of("bench-rmr-nvm.md", "bench-rmr-nvm.png", "bench-rmr-nvm-spill.png")) {
      assertTrue(Files.size(directory.resolve(file)) > 0, file);
    }
    Pools.awaitEmpty(cluster);
  }
}
