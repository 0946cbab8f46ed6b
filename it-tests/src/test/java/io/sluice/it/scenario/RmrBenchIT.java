package io.sluice.it.scenario;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.sluice.bench.hadoop.RmrBench;
import io.sluice.bench.hadoop.RmrRounds;
import io.sluice.bench.hadoop.RmrSizesBench;
import io.sluice.bench.hadoop.RmrWorkload;
import io.sluice.bench.hadoop.RmrWorkload.RmrVariant;
import io.sluice.it.cluster.PseudoCluster;
import io.sluice.it.cluster.Workspace;
import io.sluice.it.report.Console;
import io.sluice.it.report.ResultFiles;
import java.io.IOException;
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
    new RmrBench(rounds(cluster), Console.standard(), SIZE_BYTES, workloads)
        .run(1, new ResultFiles(directory));
    JsonNode rounds =
        new ObjectMapper()
            .readTree(directory.resolve("bench-rmr-nvm.json").toFile())
            .path("rounds");
    for (RmrWorkload workload : workloads) {
      for (String variant : List.of("STOCK", "SLUICE")) {
        JsonNode costs = rounds.path(workload.name()).path(0).path(variant);
        int jobs = workload == RmrWorkload.JOIN ? 3 : 1;
        assertEquals(jobs, costs.path("jobIds").size(), costs.toString());
        assertTrue(costs.path("eachMap").size() >= jobs, costs.toString());
        assertTrue(costs.path("wallMs").asLong() > 0, costs.toString());
        assertTrue(costs.path("cpuMs").asLong() > 0, costs.toString());
      }
    }
    assertWritten(directory, "bench-rmr-nvm.md", "bench-rmr-nvm.png", "bench-rmr-nvm-spill.png");
    Pools.awaitEmpty(cluster);
  }

  @Test
  void ofEachSizeTheMapsAndTheirSpillsAreMeasured(PseudoCluster cluster, @TempDir Path directory)
      throws Exception {
    new RmrSizesBench(
            rounds(cluster),
            Console.standard(),
            3 * SIZE_BYTES,
            List.of(RmrWorkload.SORT, RmrWorkload.TERASORT))
        .run(1, new ResultFiles(directory));
    JsonNode rounds =
        new ObjectMapper()
            .readTree(directory.resolve("bench-rmr-sizes.json").toFile())
            .path("rounds");
    for (String measured : List.of("sort of 1 MB", "sort of 3 MB", "terasort of 2 MB")) {
      for (String variant : List.of("STOCK", "SLUICE")) {
        JsonNode costs = rounds.path(measured).path(0).path(variant);
        long mapStageMs = costs.path("mapStageMs").asLong();
        assertTrue(mapStageMs > 0, costs.toString());
        assertTrue(mapStageMs < costs.path("wallMs").asLong(), costs.toString());
        for (JsonNode map : costs.path("eachMap")) {
          assertTrue(map.path("collectMs").asLong() > 0, costs.toString());
        }
      }
    }
    assertWritten(
        directory,
        "bench-rmr-sizes.md",
        "bench-rmr-sizes-stages-sort.png",
        "bench-rmr-sizes-spill-terasort.png");
    Pools.awaitEmpty(cluster);
  }

  private static RmrRounds rounds(PseudoCluster cluster) {
    RmrRounds rounds = new RmrRounds(Workspace.find(), Console.standard());
    rounds.runOn(cluster, EnumSet.of(RmrVariant.STOCK, RmrVariant.SLUICE));
    return rounds;
  }

  private static void assertWritten(Path directory, String... files) throws IOException {
    for (String file : files) {
      assertTrue(Files.size(directory.resolve(file)) > 0, file);
    }
  }
}
