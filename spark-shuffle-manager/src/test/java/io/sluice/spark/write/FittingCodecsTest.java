package io.sluice.spark.write;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;

import io.sluice.spark.write.SortingWriter.FittingCodecs;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.util.Random;
import org.apache.spark.SparkConf;
import org.apache.spark.SparkEnv;
import org.apache.spark.api.java.JavaSparkContext;
import org.apache.spark.storage.ShuffleBlockId;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Spark reads what was compressed in shorter blocks with its own settings. */
class FittingCodecsTest {
  private static final ShuffleBlockId ID = new ShuffleBlockId(1, 2, 3);
  private static final int[] LENGTHS = {0, 1, 1_023, 1_024, 1_025, 5_000, 16_385, 32_768, 200_000};

  /**
   * Offset of the first block's token, which has the length of blocks in its low bits; see
   * lz4-java.
   */
  private static final int TOKEN_AT = 8;

  private static JavaSparkContext spark(String codec) {
    return new JavaSparkContext(
        new SparkConf(false)
            .setMaster("local[1]")
            .setAppName("FittingCodecsTest")
            .set("spark.ui.enabled", "false")
            .set("spark.driver.host", "127.0.0.1")
            .set("spark.driver.bindAddress", "127.0.0.1")
            .set("spark.io.compression.codec", codec));
  }

  private static byte[] compressed(FittingCodecs codecs, byte[] bytes) throws IOException {
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    try (OutputStream wrapped = codecs.wrap(ID, out, bytes.length)) {
      wrapped.write(bytes);
    }
    return out.toByteArray();
  }

  private static byte[] read(byte[] compressed) throws IOException {
    try (InputStream in =
        SparkEnv.get()
            .serializerManager()
            .wrapStream(ID, (InputStream) new ByteArrayInputStream(compressed))) {
      return in.readAllBytes();
    }
  }

  private static byte[] random(int lengthBytes) {
    byte[] bytes = new byte[lengthBytes];
    new Random(lengthBytes).nextBytes(bytes);
    return bytes;
  }

  @ParameterizedTest
  @ValueSource(strings = {"lz4", "snappy", "zstd", "lzf"})
  void sparkReadsEachLengthAndAllOfThemJoined(String codec) throws IOException {
    try (JavaSparkContext spark = spark(codec)) {
      FittingCodecs codecs = new FittingCodecs(spark.getConf());
      ByteArrayOutputStream expected = new ByteArrayOutputStream();
      ByteArrayOutputStream joined = new ByteArrayOutputStream();
      for (int lengthBytes : LENGTHS) {
        byte[] bytes = random(lengthBytes);
        byte[] compressed = compressed(codecs, bytes);
        assertArrayEquals(bytes, read(compressed), lengthBytes + " bytes of " + spark.appName());
        expected.write(bytes);
        joined.write(compressed);
      }
      assertArrayEquals(expected.toByteArray(), read(joined.toByteArray()));
    }
  }

  /** The reading side has the settings that it began with. */
  @Test
  void settingsThatChangeInARunningApplicationAreNotTakenUp() throws IOException {
    try (JavaSparkContext spark = spark("lz4")) {
      FittingCodecs codecs = new FittingCodecs(SparkEnv.get().conf());
      byte[] bytes = random(100);
      byte[] early = compressed(codecs, bytes);
      assertArrayEquals(bytes, read(early), spark.appName());
      SparkEnv.get().conf().set("spark.io.compression.codec", "zstd");
      byte[] late = compressed(codecs, random(5_000)); // with a manager that was not needed before
      assertArrayEquals(random(5_000), read(late));
    }
  }

  @Test
  void blocksAreNoLongerThanWhatTheyHold() throws IOException {
    try (JavaSparkContext spark = spark("lz4")) {
      FittingCodecs codecs = new FittingCodecs(spark.getConf());
      int[] lengths = {1, 1_024, 1_025, 16_384, 16_385, 100_000};
      int[] levels = {0, 0, 1, 4, 5, 5}; // blocks of 1 KiB shifted left by so many bits
      for (int i = 0; i < lengths.length; i++) {
        byte token = compressed(codecs, random(lengths[i]))[TOKEN_AT];
        assertEquals(levels[i], token & 0x0f, lengths[i] + " bytes of " + spark.appName());
      }
    }
  }
}
