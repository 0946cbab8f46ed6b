package io.sluice.mapreduce.testing;

import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.io.OutputStream;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.io.compress.CodecPool;
import org.apache.hadoop.io.compress.CompressionCodec;
import org.apache.hadoop.util.ReflectionUtils;

/** Codecs with the default settings, and how many of their compressors are out. */
public final class Codecs {
  private Codecs() {}

  /** One of this class; the test is skipped where that lacks its library. */
  public static CompressionCodec of(Class<?> type) {
    CompressionCodec codec =
        (CompressionCodec) ReflectionUtils.newInstance(type, new Configuration(false));
    assumeTrue(works(codec), () -> type.getName() + " lacks the library that it needs");
    return codec;
  }

  private static boolean works(CompressionCodec codec) {
    try (OutputStream out = codec.createOutputStream(OutputStream.nullOutputStream())) {
      out.write(1);
      return true;
    } catch (IOException | RuntimeException | LinkageError e) {
      return false;
    }
  }

  public static int decompressors(CompressionCodec codec) {
    return codec.getDecompressorType() == null ? 0 : CodecPool.getLeasedDecompressorsCount(codec);
  }

  public static int compressors(CompressionCodec codec) {
    return codec.getCompressorType() == null ? 0 : CodecPool.getLeasedCompressorsCount(codec);
  }
}
