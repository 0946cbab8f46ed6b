package io.sluice.spark.conf;

import io.sluice.spill.cipher.ShuffleKey;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import org.apache.spark.SparkConf;

/**
 * Whether an application's map outputs are encrypted in pools and on their way out of them, and
 * with what: where Spark would encrypt what it sends of them.
 *
 * <pre>
 *   spark.network.crypto.enabled                Spark's authentication secret, without which
 *   spark.authenticate.enableSaslEncryption     Spark allows neither, and Sluice's own
 *   spark.ssl.rpc.enabled alone                 Sluice's own, which services of nodes know too
 * </pre>
 *
 * <p>Spark's encryption of blocks, {@code spark.io.encryption.enabled}, comes before and stays what
 * it is: with both, the blocks are encrypted twice, as Spark does it.
 *
 * <p>Thread contract: stateless.
 */
public final class ShuffleEncryption {
  private static final String KEY_BITS = "spark.network.crypto.keyLength";
  private static final int DEFAULT_KEY_BITS = 128;

  private ShuffleEncryption() {}

  /** Whether what executors send each other is to be encrypted. */
  public static boolean isOn(SparkConf conf) {
    return conf.getBoolean("spark.network.crypto.enabled", false)
        || conf.getBoolean("spark.authenticate.enableSaslEncryption", false)
        || conf.getBoolean("spark.ssl.rpc.enabled", false);
  }

  /**
   * The key of the application's map outputs.
   *
   * @param sparkSecret with which Spark's processes authenticate, or null if they do not; it may be
   *     one that somebody has thought of, but what Sluice's driver drew cannot be guessed
   * @return null if they are not encrypted; the caller closes it
   */
  public static ShuffleKey key(SparkConf conf, String sparkSecret) {
    if (!isOn(conf)) {
      return null;
    }
    byte[] ofSpark =
        sparkSecret == null ? new byte[0] : sparkSecret.getBytes(StandardCharsets.UTF_8);
    byte[] own = ApplicationSecret.bytes(conf);
    byte[] both =
        ByteBuffer.allocate(Integer.BYTES + ofSpark.length + own.length)
            .putInt(ofSpark.length)
            .put(ofSpark)
            .put(own)
            .array();
    return new ShuffleKey(both, ApplicationId.of(conf), conf.getInt(KEY_BITS, DEFAULT_KEY_BITS));
  }
}
