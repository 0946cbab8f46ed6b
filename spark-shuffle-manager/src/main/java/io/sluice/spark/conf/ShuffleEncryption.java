package io.sluice.spark.conf;

import io.sluice.spill.cipher.ShuffleKey;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import org.apache.spark.SparkConf;

/**
 * Decides whether an application's map outputs are encrypted, in pools and on the network, and
 * makes their key. They are encrypted where Spark would encrypt them on the network.
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
public final class ShuffleEncryption {
  private static final String KEY_BITS = "spark.network.crypto.keyLength";
  private static final int DEFAULT_KEY_BITS = 128;

  private ShuffleEncryption() {}

  /** Whether executors encrypt the blocks that they send each other. */
  public static boolean isOn(SparkConf conf) {
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
