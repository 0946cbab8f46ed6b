package io.sluice.it.scenario;

import static org.junit.jupiter.api.Assertions.assertAll;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.sluice.bench.hadoop.HadoopVariant;
import io.sluice.bench.hadoop.TeraSort;
import io.sluice.bench.hadoop.WordCountJob;
import io.sluice.bench.hadoop.WordCountJob.TextSource;
import io.sluice.it.cluster.PseudoCluster;
import io.sluice.it.job.JobCosts;
import io.sluice.it.job.RunningJob.JobProgress;
import java.util.Map;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** Hadoop's own examples, as stock and through Sluice, and the figures of what they cost. */
@ExtendWith(SharedCluster.class)
class ExamplesIT {
  private static final long SIZE_BYTES = 20_000_000;

  /** Small enough for several spills and a merge, on both sides. */
  private static final Map<String, String> SMALL_BUFFER = Map.of("mapreduce.task.io.sort.mb", "4");

  @Test
  void teraSortIsValidAndItsCostsAreMeasured(PseudoCluster cluster) {
    TeraSort tera = new TeraSort(cluster, "/terasort", SIZE_BYTES);
    tera.generate(JobProgress.SILENT);
    JobCosts stock = tera.sort(HadoopVariant.STOCK, SMALL_BUFFER, JobProgress.SILENT);
    JobCosts sluice = tera.sort(HadoopVariant.SLUICE, SMALL_BUFFER, JobProgress.SILENT);
    tera.validate(HadoopVariant.SLUICE, JobProgress.SILENT);
    assertAll(
        () -> assertTrue(stock.wallMs() > 0, "wall"),
        () -> assertTrue(stock.cpuMs() > 0, "CPU"),
        () -> assertTrue(stock.maps().collectMs() > 0, "collect"),
        () -> assertTrue(stock.maps().spillMs() > 0, "spill"),
        () -> assertTrue(stock.maps().mergeMs() > 0, "merge"),
        () -> assertTrue(stock.reduceShuffleMs() > 0, "shuffle"),
        () -> assertTrue(stock.nodeManagerCpuMs() > 0, "NodeManagers' CPU"),
        () -> assertTrue(stock.localWrittenBytes() > 2 * SIZE_BYTES, "spills and merges on disk"),
        () -> assertTrue(stock.localReadBytes() > SIZE_BYTES, "merges read"),
        () -> assertEquals(Map.of(), stock.sluice(), "stock has no counters of Sluice"),
        () -> assertEquals("http", stock.path().transport()));
    assertThroughSluice(sluice);
    assertTrue(
        sluice.sluice().get("SPILL_BYTES_MEMORY") >= SIZE_BYTES,
        "every record went through the pool: " + sluice.sluice());
    Pools.awaitEmpty(cluster);
  }

  @Test
  @Tag("campaign")
  void wordCountWithItsCombinerCountsTheSame(PseudoCluster cluster) {
    WordCountJob words = new WordCountJob(cluster, "/wordcount");
    words.upload(TextSource.prepare(cluster.localDirectory("wordcount")));
    words.count(HadoopVariant.STOCK, JobProgress.SILENT);
    assertThroughSluice(words.count(HadoopVariant.SLUICE, JobProgress.SILENT));
    words.requireEqual(HadoopVariant.STOCK, HadoopVariant.SLUICE);
    Pools.awaitEmpty(cluster);
  }

  private static void assertThroughSluice(JobCosts costs) {
    assertEquals(Map.of(), costs.path().fallbacks());
    String way = "(local|tcp|verbs|ucx|disni)";
    assertTrue(
        costs.path().transport().matches(way + "(\\+" + way + ")?"), costs.path().transport());
  }
}
