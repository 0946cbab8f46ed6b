package io.sluice.it.spark.suites;

import java.util.List;
import java.util.function.Function;
import java.util.stream.Stream;

/**
 * A suite of Spark that is run through Sluice.
 *
 * @param className Spark's class, or ours that extends it
 * @param quick whether it is one of those that every build runs
 * @param declined whether Sluice must leave all of it to Spark, for what the suite sets
 */
public record ListedSuite(String className, boolean quick, boolean declined) {
  private static final String OURS = ListedSuite.class.getPackageName() + ".";
  private static final String CORE = "org.apache.spark.";
  private static final String SQL = "org.apache.spark.sql.";

  /** All of them; the quick ones first. */
  public static List<ListedSuite> all() {
    return Stream.of(
            ofEveryBuild().map(name -> new ListedSuite(name, true, false)),
            onDemand().map(name -> new ListedSuite(name, false, false)),
            declinedOnDemand().map(name -> new ListedSuite(name, false, true)))
        .flatMap(Function.identity())
        .toList();
  }

  /** The one of that class. */
  static ListedSuite of(String className) {
    return all().stream()
        .filter(suite -> suite.className().equals(className))
        .findFirst()
        .orElseThrow(() -> new IllegalArgumentException("not listed: " + className));
  }

  private static Stream<String> ofEveryBuild() {
    return Stream.of(CORE + "rdd.SortingSuite");
  }

  private static Stream<String> onDemand() {
    return Stream.of(
        OURS + "SluiceShuffleSuite",
        CORE + "CheckpointSuite",
        CORE + "DistributedSuite",
        CORE + "FailureSuite",
        CORE + "rdd.PairRDDFunctionsSuite",
        CORE + "rdd.RDDSuite",
        CORE + "storage.BlockManagerDecommissionIntegrationSuite",
        SQL + "DataFrameAggregateSuite",
        SQL + "JoinSuite",
        SQL + "execution.CoalesceShufflePartitionsSuite",
        SQL + "execution.QueryExecutionSuite",
        SQL + "execution.adaptive.AdaptiveQueryExecSuite",
        SQL + "streaming.StreamingAggregationSuite");
  }

  /** Asks whether a way of the user's own to store map outputs is initialised on executors. */
  private static Stream<String> declinedOnDemand() {
    return Stream.of(CORE + "shuffle.ShuffleDriverComponentsSuite");
  }

  /** Its name without the package. */
  public String simpleName() {
    return className.substring(className.lastIndexOf('.') + 1);
  }
}
