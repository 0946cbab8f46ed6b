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

  /** All of them; those first that tell most. */
  public static List<ListedSuite> all() {
    return Stream.concat(
            Stream.of(CORE + "rdd.PairRDDFunctionsSuite").map(name -> new ListedSuite(name, true)),
            Stream.of(
                    OURS + "SluiceShuffleSuite",
                    OURS + "SluiceContextCleanerSuite",
                    SQL + "execution.adaptive.AdaptiveQueryExecSuite")
                .map(name -> new ListedSuite(name, false)))
        .toList();
  }

  /** Its name without the package. */
  public String simpleName() {
    return className.substring(className.lastIndexOf('.') + 1);
  }
}
