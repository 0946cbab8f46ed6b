package io.sluice.spark.conf;

import java.util.Optional;
import org.apache.spark.SparkConf;

/** Decides which service of a node keeps the map outputs of an application. */
public final class ServiceChoice {
  private static final String YARN_MASTER = "yarn";

  private ServiceChoice() {}

  /**
   * Whether executors may end before their outputs are read, because Spark's external shuffle
   * service is on. No output may then lie in an executor's own pool.
   */
  public static boolean isExternalServiceOn(SparkConf conf) {
    return conf.getBoolean("spark.shuffle.service.enabled", false);
  }

  /**
   * The service of Sluice on every node; empty if there is none. The default on YARN is the
   * NodeManagers' service, if outputs must outlive executors.
   */
  public static Optional<String> of(SparkConf conf) {
    boolean isSet = conf.contains(SparkSettings.SERVICE.name());
    boolean onYarn = conf.get("spark.master", "").equals(YARN_MASTER);
    return !isSet && onYarn && isExternalServiceOn(conf)
        ? Optional.of(SparkSettings.YARN_SERVICE)
        : SparkSettings.SERVICE.get(SparkSettings.of(conf));
  }
}
