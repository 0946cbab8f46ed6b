package io.sluice.spark.engine;

import org.apache.spark.ShuffleDependency;
import org.apache.spark.SparkConf;
import org.apache.spark.internal.config.package$;
import org.apache.spark.io.CompressionCodec$;

/**
 * Tells whether the streams of a shuffle can be concatenated: they must then read as one stream.
 */
public final class JoinableStreams {
  private JoinableStreams() {}

  /** Whether the shuffle's serializer, codec and cipher all allow concatenation. */
  public static boolean of(SparkConf conf, ShuffleDependency<?, ?, ?> dependency) {
    package$ config = package$.MODULE$;
    boolean codecJoins =
        !(boolean) conf.get(config.SHUFFLE_COMPRESS())
            || CompressionCodec$.MODULE$.supportsConcatenationOfSerializedStreams(
                CompressionCodec$.MODULE$.createCodec(conf));
    return codecJoins
        && dependency.serializer().supportsRelocationOfSerializedObjects()
        && !(boolean) conf.get(config.IO_ENCRYPTION_ENABLED());
  }
}
