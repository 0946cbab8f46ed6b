package io.sluice.local.oracle;

import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.io.OutputStream;
import java.util.List;
import org.apache.hadoop.conf.Configurable;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.io.compress.BZip2Codec;
import org.apache.hadoop.io.compress.CompressionCodec;
import org.apache.hadoop.io.compress.DefaultCodec;
import org.apache.hadoop.io.compress.DeflateCodec;
import org.apache.hadoop.io.compress.GzipCodec;
import org.apache.hadoop.io.compress.Lz4Codec;
import org.apache.hadoop.io.compress.SnappyCodec;
import org.apache.hadoop.io.compress.ZStandardCodec;
import org.apache.hadoop.mapreduce.Job;
import org.apache.hadoop.mapreduce.lib.input.TextInputFormat;
import org.apache.hadoop.util.ReflectionUtils;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Intermediate data that is compressed or encrypted. */
@Tag("slow")
class CodecsOracleTest extends OracleTestBase {
  private static final int REDUCES = 3;

  @BeforeEach
  void write() throws IOException {
    inputs.files("lines", 3, 1_000, 300);
  }

  private void sameAsStock() throws Exception {
    oracle.sameAsStock(this::lines, threads());
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
    oracle.conf().setInt(OtherMaps.MAPS, 1000); // chunks, where the codec takes them
    oracle.sameAsStock(this::ofOtherMaps, threads());
    oracle.conf().setBoolean("mapreduce.job.encrypted-intermediate-data", true);
    oracle.sameAs(oracle.stock(this::lines), this::lines, "pull", threads()); // streams
  }

  private Job lines(Configuration settings) throws IOException {
    return Tasks.digests(inputs.job(settings, "lines"), REDUCES);
  }

  private Job ofOtherMaps(Configuration settings) throws IOException {
    Job job = lines(settings);
    job.setInputFormatClass(OtherMaps.class);
    return job;
  }

  /** An input format that has its own opinion of how many maps there are. */
  public static final class OtherMaps extends TextInputFormat implements Configurable {
    private static final String MAPS = "test.maps";

    private Configuration conf;

    @Override
    public void setConf(Configuration conf) {
      this.conf = conf;
      conf.setInt("mapreduce.job.maps", conf.getInt(MAPS, 0));
    }

    @Override
    public Configuration getConf() {
      return conf;
    }
  }

  @Test
  void mapsMaySeeAnotherNumberOfMaps() throws Exception {
    sameAsStockWithOtherMaps(List.of(exchange()));
  }

  @Test
  @Tag("campaign")
  void mapsMaySeeAnotherNumberOfMapsInEachExchange() throws Exception {
    sameAsStockWithOtherMaps(Oracle.EXCHANGES);
  }

  /** Its maps write chunks of whole runs, which are longer than those that so many maps write. */
  private void sameAsStockWithOtherMaps(List<String> exchanges) throws Exception {
    inputs.files("many", 150, 400, 300);
    oracle.conf().setInt(OtherMaps.MAPS, 32);
    oracle.conf().setBoolean("mapreduce.map.output.compress", true);
    oracle
        .conf()
        .setClass("mapreduce.map.output.compress.codec", SnappyCodec.class, CompressionCodec.class);
    oracle.sameAsStock(
        settings -> {
          Job job = Tasks.digests(inputs.job(settings, "many"), 1);
          job.setInputFormatClass(OtherMaps.class);
          return job;
        },
        exchanges,
        threads());
  }

  @Test
  void encryptedIntermediateDataIsAsWithStock() throws Exception {
    oracle.conf().setBoolean("mapreduce.job.encrypted-intermediate-data", true);
    sameAsStock();
  }
}
