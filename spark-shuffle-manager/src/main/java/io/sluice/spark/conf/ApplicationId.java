package io.sluice.spark.conf;

import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;
import org.apache.spark.SparkConf;

/**
 * The name of an application in pools and node services. Spark takes any text for an application's
 * id; a pool uses the name in file names and in messages of printable ASCII.
 *
 * <pre>
 * [A-Za-z0-9_-]   stays
 * other           % and two hexadecimal digits for each byte of its UTF-8
 * above {@value #MAX_LENGTH}       the first characters, %% and the SHA-256 of the whole id
 * </pre>
 *
 * <p>YARN may run an application once more after its driver has failed. The second attempt has the
 * same id and outputs of the same names, but another secret; so its number is part of the name. The
 * name of the first attempt is the application's id alone.
 *
 * <p>Two ids never have the same name. A name without {@code %%} can be decoded. Thread contract:
 * stateless.
 */
public final class ApplicationId {
  static final String ATTEMPT_KEY = "spark.app.attempt.id";
  private static final String FIRST_ATTEMPT = "1";

  /** Longest name, in characters. File names still have room for a suffix. */
  static final int MAX_LENGTH = 200;

  private static final String PLAIN =
      "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_-";
  private static final String CUT = "%%";

  private ApplicationId() {}

  /**
   * The name of the attempt that runs: on executors, and on the driver once its context has
   * started.
   */
  public static String of(SparkConf conf) {
    String attempt = conf.get(ATTEMPT_KEY, FIRST_ATTEMPT);
    return name(attempt.equals(FIRST_ATTEMPT) ? conf.getAppId() : conf.getAppId() + "_" + attempt);
  }

  static String name(String id) {
    byte[] bytes = id.getBytes(StandardCharsets.UTF_8);
    HexFormat hex = HexFormat.of();
    StringBuilder name = new StringBuilder();
    for (byte b : bytes) {
      if (PLAIN.indexOf(b) >= 0) {
        name.append((char) b);
      } else {
        hex.toHexDigits(name.append('%'), b);
      }
    }
    if (name.length() <= MAX_LENGTH && !id.isEmpty()) {
      return name.toString();
    }
    String digest = hex.formatHex(sha256(bytes));
    name.setLength(Math.min(name.length(), MAX_LENGTH - CUT.length() - digest.length()));
    return name + CUT + digest;
  }

  private static byte[] sha256(byte[] bytes) {
    try {
      return MessageDigest.getInstance("SHA-256").digest(bytes);
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException("every Java has SHA-256", e);
    }
  }
}
