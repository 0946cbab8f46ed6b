package io.sluice.it.spark;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.sluice.it.cluster.Workspace;
import io.sluice.it.spark.jobs.ShufflePlanJob.ContextReport;
import io.sluice.it.spark.jobs.ShufflePlanJob.ShufflePlanReport;
import io.sluice.it.spark.jobs.ShufflePlanJob.ShuffleResult;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Queries of the TPC-H benchmark over made-up tables, all joins shuffled. */
class SparkTpchIT {
  private static final double SCALE = 0.005;
  private static final int PARTITIONS = 3;

  /** An aggregate, joins, an outer join, a subquery per group, and one that must not exist. */
  private static final List<Integer> CORE = List.of(1, 3, 13, 18, 21);

  private final Workspace workspace = Workspace.find();

  @TempDir Path directory;

  @Test
  void theQueriesOfTheCoreGiveStocksResult() {
    assertGiveStocksResult(CORE);
  }

  @Test
  @Tag("campaign")
  void everyQueryGivesStocksResult() {
    assertGiveStocksResult(IntStream.rangeClosed(1, 22).boxed().toList());
  }

  private void assertGiveStocksResult(List<Integer> queries) {
    SparkDistribution spark = SparkDistribution.underTest();
    SparkJob job = QuickJvms.of(SparkJob.tpch(workspace, SCALE, PARTITIONS, 7, queries));
    try (SparkSubmit submit = new SparkSubmit(spark, directory)) {
      ShufflePlanReport stock = submit.run(SparkSubmit.LOCAL, job).report(ShufflePlanReport.class);
      ContextReport ours =
          submit
              .run(SparkSubmit.LOCAL_CLUSTER, job.throughSluice(workspace))
              .report(ShufflePlanReport.class)
              .contexts()
              .get(0);
      assertEquals(List.of(), new PlanOracle(stock).wrongResults(ours));
      assertEquals(List.of(), PlanOracle.wrongTraffic(ours, Set.of()));
      assertEquals(queries.size(), ours.results().size());
      List<String> empty =
          ours.results().stream()
              .filter(result -> result.count() == 0)
              .map(ShuffleResult::name)
              .toList();
      assertTrue(empty.isEmpty(), "queries that found nothing show little: " + empty);
    }
  }
}
