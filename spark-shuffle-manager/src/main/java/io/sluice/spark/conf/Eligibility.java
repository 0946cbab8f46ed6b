package io.sluice.spark.conf;

import java.util.Optional;
import org.apache.spark.SparkConf;

/** Whether an application can be shuffled by Sluice. */
public final class Eligibility {
  private Eligibility() {}

  /** Why the application is left to Spark's own shuffle; empty if it need not be. */
  public static Optional<String> declineReason(SparkConf conf) {
    if (conf.getBoolean("spark.shuffle.service.enabled", false)) {
      return Optional.of(
          "spark.shuffle.service.enabled is on, and the external shuffle service serves files only;"
              + " it also does push-based merging");
    }
    if (conf.getBoolean("spark.shuffle.useOldFetchProtocol", false)) {
      return Optional.of(
          "spark.shuffle.useOldFetchProtocol is on, with which attempts of a task have one name for"
              + " their outputs");
    }
    boolean encrypted =
        conf.getBoolean("spark.network.crypto.enabled", false)
            || conf.getBoolean("spark.authenticate.enableSaslEncryption", false)
            || conf.getBoolean("spark.ssl.rpc.enabled", false);
    if (encrypted && !conf.getBoolean("spark.io.encryption.enabled", false)) {
      return Optional.of(
          "traffic between executors shall be encrypted, and Sluice's transports do not; with"
              + " spark.io.encryption.enabled the blocks themselves are, and Sluice is used");
    }
    return Optional.empty();
  }
}
