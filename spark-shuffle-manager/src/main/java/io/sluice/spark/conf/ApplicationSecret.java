package io.sluice.spark.conf;

import io.sluice.node.wire.JobSecret;
import java.security.SecureRandom;
import java.util.HexFormat;
import org.apache.spark.SparkConf;

/**
 * The secret that executors of one application prove to each other. The driver makes it and passes
 * it to executors in the configuration, as Spark does with its own secret. {@code
 * spark.redaction.regex} hides it because of its name.
 */
public final class ApplicationSecret {
  static final String KEY = "spark.sluice.secret";
  private static final int SECRET_BYTES = 32;

  private ApplicationSecret() {}

  /** Makes the secret, on the driver, before executors get the configuration. */
  public static void create(SparkConf conf) {
    byte[] secret = new byte[SECRET_BYTES];
    new SecureRandom().nextBytes(secret);
    conf.set(KEY, HexFormat.of().formatHex(secret));
  }

  /**
   * The application's secret.
   *
   * @throws IllegalStateException if the driver has not made one
   */
  public static JobSecret of(SparkConf conf) {
    return new JobSecret(bytes(conf));
  }

  static byte[] bytes(SparkConf conf) {
    String secret = conf.get(KEY, "");
    if (secret.isEmpty()) {
      throw new IllegalStateException(
          KEY + " is not set: spark.shuffle.manager must name Sluice on the driver as well");
    }
    return HexFormat.of().parseHex(secret);
  }
}
