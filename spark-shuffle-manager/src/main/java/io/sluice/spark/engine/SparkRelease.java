package io.sluice.spark.engine;

import io.sluice.rdma.text.ErrorText;
import java.util.Map;
import java.util.Optional;
import org.apache.spark.SparkConf;
import org.apache.spark.package$;
import org.apache.spark.shuffle.IndexShuffleBlockResolver;
import org.apache.spark.storage.BlockManager;

/**
 * The Spark that this process runs, and whether it is built like the releases that Sluice knows.
 * Vendors change Spark without changing the beginning of its version.
 *
 * <p>Thread contract: stateless.
 */
public final class SparkRelease {
  private SparkRelease() {}

  /**
   * Whether this is Spark 3. It makes shuffle managers before plugins, its UI has servlets of other
   * names, and its resolver of blocks has another constructor.
   */
  public static boolean isSpark3() {
    return package$.MODULE$.SPARK_VERSION().startsWith("3.");
  }

  /** Why the shuffle manager would not work in this Spark; empty if it would. */
  public static Optional<String> unknownShape() {
    return unknownShape(IndexShuffleBlockResolver.class);
  }

  static Optional<String> unknownShape(Class<?> resolver) {
    try {
      resolver.getConstructor(
          isSpark3()
              ? new Class<?>[] {SparkConf.class, BlockManager.class, Map.class}
              : new Class<?>[] {SparkConf.class});
      SparkShims.load();
      return Optional.empty();
    } catch (NoSuchMethodException | LinkageError e) {
      return Optional.of(
          "this Spark "
              + package$.MODULE$.SPARK_VERSION()
              + " is built like no release that Sluice knows ("
              + ErrorText.of(e)
              + ")");
    }
  }
}
