package io.sluice.it.scenario;

import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.sluice.bench.hadoop.PageRankBench;
import io.sluice.bench.hadoop.PageRankBench.PageRankVariant;
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

/** The bench of a chain of jobs, in small: that its figures come about, and outputs are equal. */
@ExtendWith(SharedCluster.class)
@Tag("campaign")
class PageRankBenchIT {
  private static final long PAGES = 20_000; // so many that the result is not in small files

  @Test
  void allVariantsPutOutTheSameAndAreMeasured(PseudoCluster cluster, @TempDir Path directory)
      throws Exception {
    new PageRankBench(
            Workspace.find(),
            cluster,
            Console.standard(),
            PAGES,
            1,
            EnumSet.allOf(PageRankVariant.class))
        .run(1, new ResultFiles(directory));
    JsonNode round =
        new ObjectMapper()
            .readTree(directory.resolve("bench-pagerank.json").toFile())
            .at("/rounds/0");
    for (String variant : List.of("STOCK", "SLUICE", "CLUSTER_FILES")) {
      for (String figure : List.of("wallMs", "cpuMs", "writtenBytes")) {
        assertTrue(round.at("/" + variant + "/" + figure).asLong() > 0, figure + " in " + round);
      }
    }
    assertTrue(round.at("/CLUSTER_FILES/copyMs").asLong() > 0, round.toString());
    for (String file : List.of("bench-pagerank.md", "bench-pagerank.png")) {
      assertTrue(Files.size(directory.resolve(file)) > 0, file);
    }
    Pools.awaitEmpty(cluster);
  }
}
