package io.sluice.spark.conf;

import io.sluice.node.wire.JobSecret;
import io.sluice.spill.cipher.ShuffleKey;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.security.SecureRandom;
import java.util.HexFormat;
import org.apache.spark.SparkConf;

/**
 * The secret that executors of one application prove to each other, and the key that encrypts their
 * map outputs. The driver makes the secret and passes it to executors in the configuration, as
 * Spark does with its own secret. {@code spark.redaction.regex} hides it because of its name.
 *
 * <p>Map outputs are encrypted, in pools and on the network, where Spark would encrypt them on the
 * network.
 *
 * <pre>
 *   setting                                     the key is derived from
 *   spark.network.crypto.enabled                Spark's authentication secret, without which
 *   spark.authenticate.enableSaslEncryption     Spark allows neither, and Sluice's own
 *   spark.ssl.rpc.enabled alone                 Sluice's own, which services of nodes know too
 * </pre>
 *
 * <p>With {@code spark.io.encryption.enabled}, Spark encrypts blocks before Sluice gets them. With
 * both, blocks are encrypted twice, as with stock Spark.
 *
 * <p>Thread contract: stateless.
 */
public final class ApplicationSecret {
  static final String KEY = "spark.sluice.secret";
  private static final int SECRET_BYTES = 32;

  private static final String KEY_BITS = "spark.network.crypto.keyLength";
  private static final int DEFAULT_KEY_BITS = 128;

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

  private static byte[] bytes(SparkConf conf) {
    String secret = conf.get(KEY, "");
    if (secret.isEmpty()) {
      throw new IllegalStateException(
          KEY + " is not set: spark.shuffle.manager must name Sluice on the driver as well");
    }
    return HexFormat.of().parseHex(secret);
  }

  /** Whether executors encrypt the blocks that they send each other. */
  public static boolean encrypts(SparkConf conf) {
    return conf.getBoolean("spark.network.crypto.enabled", false)
        || conf.getBoolean("spark.authenticate.enableSaslEncryption", false)
        || conf.getBoolean("spark.ssl.rpc.enabled", false);
  }

  /**
   * The key of the application's map outputs.
   *
   * @param sparkSecret the secret with which Spark's processes authenticate; null if they do not. A
   *     person may have chosen it, but Sluice's own secret is random
   * @return null if the outputs are not encrypted; the caller closes it
   */
  public static ShuffleKey shuffleKey(SparkConf conf, String sparkSecret) {
    if (!encrypts(conf)) {
      return null;
    }
    byte[] ofSpark =
        sparkSecret == null ? new byte[0] : sparkSecret.getBytes(StandardCharsets.UTF_8);
    byte[] own = bytes(conf);
    byte[] both =
        ByteBuffer.allocate(Integer.BYTES + ofSpark.length + own.length)
            .putInt(ofSpark.length)
            .put(ofSpark)
            .put(own)
            .array();
    return new ShuffleKey(both, ApplicationId.of(conf), conf.getInt(KEY_BITS, DEFAULT_KEY_BITS));
  }
}
