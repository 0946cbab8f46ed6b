package io.sluice.it.spark.suites;

import java.util.List;
import java.util.stream.Stream;

/**
 * A suite of Spark that is run through Sluice.
 *
 * @param className Spark's class, or ours that extends it
 * @param quick whether it is one of those that every build runs
 */
public record ListedSuite(String className, boolean quick) {
  private static final String OURS = ListedSuite.class.getPackageName() + ".";
  private static final String CORE = "org.apache.spark.";
  private static final String SQL = "org.apache.spark.sql.";

  /** All of them; the quick ones first. */
  public static List<ListedSuite> all() {
    return Stream.concat(
            ofEveryBuild().map(name -> new ListedSuite(name, true)),
            onDemand().map(name -> new ListedSuite(name, false)))
        .toList();
  }

  private static Stream<String> ofEveryBuild() {
    return Stream.of(
        CORE + "rdd.PairRDDFunctionsSuite",
        CORE + "rdd.SortingSuite",
        SQL + "execution.CoalesceShufflePartitionsSuite");
  }

  private static Stream<String> onDemand() {
    return Stream.of(
        OURS + "SluiceShuffleSuite",
        CORE + "CheckpointSuite",
        CORE + "DistributedSuite",
        CORE + "FailureSuite",
        CORE + "rdd.RDDSuite",
        CORE + "storage.BlockManagerDecommissionIntegrationSuite",
        SQL + "DataFrameAggregateSuite",
        SQL + "JoinSuite",
        SQL + "execution.QueryExecutionSuite",
        SQL + "execution.adaptive.AdaptiveQueryExecSuite",
        SQL + "streaming.StreamingAggregationSuite");
  }

  /** Its name without the package. */
  public String simpleName() {
    return className.substring(className.lastIndexOf('.') + 1);
  }
}
