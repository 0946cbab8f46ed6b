package io.sluice.spark.engine;

import org.apache.spark.ShuffleDependency;
import org.apache.spark.SparkConf;
import org.apache.spark.internal.config.package$;
import org.apache.spark.io.CompressionCodec$;

/** Whether a shuffle's streams read as one when they are put one behind the other. */
public final class JoinableStreams {
  private JoinableStreams() {}

  /** Whether its serializer, codec and cipher all allow for that. */
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
