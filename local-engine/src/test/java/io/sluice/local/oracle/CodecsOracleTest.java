package io.sluice.local.oracle;

import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.io.OutputStream;
import org.apache.hadoop.io.compress.BZip2Codec;
import org.apache.hadoop.io.compress.CompressionCodec;
import org.apache.hadoop.io.compress.DefaultCodec;
import org.apache.hadoop.io.compress.DeflateCodec;
import org.apache.hadoop.io.compress.GzipCodec;
import org.apache.hadoop.io.compress.Lz4Codec;
import org.apache.hadoop.io.compress.SnappyCodec;
import org.apache.hadoop.io.compress.ZStandardCodec;
import org.apache.hadoop.util.ReflectionUtils;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Intermediate data that is compressed or encrypted. */
class CodecsOracleTest extends OracleTestBase {
  private static final int REDUCES = 3;

  @BeforeEach
  void write() throws IOException {
    inputs.files("lines", 3, 1_000, 300);
  }

  private void sameAsStock() throws Exception {
    oracle.sameAsStock(
        settings -> Tasks.digests(inputs.job(settings, "lines"), REDUCES), threads());
  }

  private boolean works(Class<? extends CompressionCodec> codec) {
    try (OutputStream out =
        ReflectionUtils.newInstance(codec, oracle.conf())
            .createOutputStream(OutputStream.nullOutputStream())) {
      out.write(1);
      return true;
    } catch (IOException | RuntimeException | LinkageError e) {
      return false;
    }
  }

  @ParameterizedTest
  @ValueSource(
      classes = {
        DefaultCodec.class,
        GzipCodec.class,
        BZip2Codec.class,
        DeflateCodec.class,
        SnappyCodec.class,
        Lz4Codec.class,
        ZStandardCodec.class
      })
  void compressedIntermediateDataIsAsWithStock(Class<? extends CompressionCodec> codec)
      throws Exception {
    assumeTrue(works(codec), () -> codec.getName() + " has not the library that it needs here");
    oracle.conf().setBoolean("mapreduce.map.output.compress", true);
    oracle.conf().setClass("mapreduce.map.output.compress.codec", codec, CompressionCodec.class);
    sameAsStock();
    oracle.conf().setBoolean("mapreduce.job.encrypted-intermediate-data", true);
    oracle.sameAs(
        oracle.stock(settings -> Tasks.digests(inputs.job(settings, "lines"), REDUCES)),
        settings -> Tasks.digests(inputs.job(settings, "lines"), REDUCES),
        "pull",
        threads());
  }

  @Test
  void encryptedIntermediateDataIsAsWithStock() throws Exception {
    oracle.conf().setBoolean("mapreduce.job.encrypted-intermediate-data", true);
    sameAsStock();
  }
}
