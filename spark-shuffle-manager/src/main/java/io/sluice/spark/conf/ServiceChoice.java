package io.sluice.spark.conf;

import java.util.Optional;
import org.apache.spark.SparkConf;

/** Which of the services of a node keep the map outputs of an application. */
public final class ServiceChoice {
  private static final String YARN_MASTER = "yarn";

  private ServiceChoice() {}

  /**
   * Whether executors may end before their outputs are read, because Spark's external shuffle
   * service has them: then no output may lie in an executor's own pool.
   */
  public static boolean isExternalServiceOn(SparkConf conf) {
    return conf.getBoolean("spark.shuffle.service.enabled", false);
  }

  /**
   * The service of Sluice on every node. Where nothing is said and outputs must outlive executors
   * on YARN, the NodeManagers'.
   */
  public static Optional<String> of(SparkConf conf) {
    boolean isSet = conf.contains(SparkSettings.SERVICE.name());
    boolean onYarn = conf.get("spark.master", "").equals(YARN_MASTER);
    return !isSet && onYarn && isExternalServiceOn(conf)
        ? Optional.of(SparkSettings.YARN_SERVICE)
        : SparkSettings.SERVICE.get(SparkSettings.of(conf));
  }
}
