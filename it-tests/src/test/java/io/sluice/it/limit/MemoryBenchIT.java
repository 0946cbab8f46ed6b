package io.sluice.it.limit;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.sluice.bench.memory.MemoryBench;
import io.sluice.bench.memory.MemoryPlan;
import io.sluice.bench.memory.MemoryWorkload;
import io.sluice.it.cluster.HadoopDistribution;
import io.sluice.it.cluster.SluiceFragments;
import io.sluice.it.cluster.Workspace;
import io.sluice.it.limit.ResourceGroup.DeviceRate;
import io.sluice.it.report.Console;
import io.sluice.it.report.ResultFiles;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * The bench of little memory, in small: that its figures come about. What they are is not asserted.
 */
@Tag("campaign")
class MemoryBenchIT {
  private static final long SIZE_BYTES = 64_000_000;
  private static final DeviceRate RATE = new DeviceRate(48_000_000, 150);

  @BeforeAll
  static void canBound() {
    Limited.require(LoopVolume.unavailableBecause());
    Limited.require(ResourceGroups.unavailableBecause());
  }

  @Test
  void aSortInAQuarterOfItsMemoryIsMeasuredOnBothSides(@TempDir Path directory) throws Exception {
    Workspace workspace = Workspace.find();
    MemoryPlan plan =
        new MemoryPlan(
            SIZE_BYTES,
            1,
            List.of(MemoryWorkload.SORT),
            List.of(0.25),
            Optional.of(RATE),
            Optional.of(RATE));
    new MemoryBench(
            workspace,
            Console.standard(),
            HadoopDistribution.locate(workspace, HadoopDistribution.DEFAULT_VERSION),
            SluiceFragments.load(workspace).orElseThrow(),
            plan)
        .run(new ResultFiles(directory));
    JsonNode results = new ObjectMapper().readTree(directory.resolve("bench-memory.json").toFile());
    assertEquals("[]", results.get("failures").toString(), "failures");
    JsonNode round = results.at("/cells/0/rounds/0");
    for (String variant : List.of("STOCK", "SLUICE")) {
      JsonNode cell = round.path(variant);
      for (String figure :
          List.of("/group/cpuUs", "/shuffleSynced/writtenBytes", "/samples/0/usedBytes")) {
        assertTrue(cell.at(figure).asLong() > 0, variant + figure + " in " + cell);
      }
      long limitBytes = cell.at("/limitBytes").asLong();
      cell.path("samples")
          .forEach(
              sample ->
                  assertTrue(
                      sample.path("usedBytes").asLong() <= limitBytes,
                      "more than " + limitBytes + ": " + sample));
    }
    for (String file :
        List.of("bench-memory.md", "bench-memory-time.png", "bench-memory-bytes.png")) {
      assertTrue(Files.size(directory.resolve(file)) > 0, file);
    }
  }
}
