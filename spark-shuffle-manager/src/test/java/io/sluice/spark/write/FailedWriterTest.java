package io.sluice.spark.write;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.sluice.spark.PoolShuffleManager;
import io.sluice.spark.ShuffledRecords;
import io.sluice.spark.SluiceShuffleManager;
import io.sluice.spill.store.StoreStats;
import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Random;
import java.util.stream.IntStream;
import org.apache.spark.HashPartitioner;
import org.apache.spark.SparkConf;
import org.apache.spark.SparkEnv;
import org.apache.spark.api.java.JavaPairRDD;
import org.apache.spark.api.java.JavaSparkContext;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import scala.Tuple2;

/** Map tasks that fail leave nothing open, and say why. */
@ExtendWith(ShuffledRecords.class)
class FailedWriterTest {
  private static final String KRYO = "org.apache.spark.serializer.KryoSerializer";
  private static final String JAVA = "org.apache.spark.serializer.JavaSerializer";
  private static final int RECORDS = 6_000;

  @TempDir private Path pools;

  @BeforeEach
  void reset() {
    CountingCodec.OPEN.set(0);
    CountingCodec.OPENED.set(0);
  }

  private SparkConf conf(String serializer) {
    return new SparkConf(false)
        .setMaster("local[1]")
        .setAppName("FailedWriterTest")
        .set(ShuffledRecords.SETTING, ShuffledRecords.class.getName())
        .set("spark.ui.enabled", "false")
        .set("spark.driver.host", "127.0.0.1")
        .set("spark.driver.bindAddress", "127.0.0.1")
        .set("spark.broadcast.compress", "false") // shuffles alone use the codec
        .set("spark.serializer", serializer)
        .set("spark.io.compression.codec", CountingCodec.class.getName())
        .set("spark.shuffle.manager", SluiceShuffleManager.class.getName())
        .set("spark.sluice.fallback.policy", "never")
        .set("spark.sluice.pool.dir", pools.toString())
        .set("spark.sluice.pool.capacity", "16m")
        .set("spark.sluice.pool.segmentSize", "1m");
  }

  /** Ends in some way when it reaches the last record. */
  private enum End {
    NONE,
    EXCEPTION,
    ERROR,
    INTERRUPT;

    void reached() {
      switch (this) {
        case EXCEPTION -> throw new IllegalArgumentException("expected by this test");
        case ERROR -> throw new AssertionError("expected by this test");
        case INTERRUPT -> { // as of a task that is killed, and the flag stays
          Thread.currentThread().interrupt();
          throw new IllegalStateException("expected by this test");
        }
        default -> {}
      }
    }
  }

  private static JavaPairRDD<Integer, byte[]> shuffled(
      JavaSparkContext context, int partitions, End end) {
    return context
        .parallelize(IntStream.range(0, RECORDS).boxed().toList(), 1)
        .mapToPair(
            i -> {
              if (i == RECORDS - 1) {
                end.reached();
              }
              byte[] bytes = new byte[2_000];
              new Random(i).nextBytes(bytes);
              return new Tuple2<>(i, bytes);
            })
        .partitionBy(new HashPartitioner(partitions));
  }

  private static StoreStats pool() {
    return PoolShuffleManager.behind(SparkEnv.get().shuffleManager())
        .orElseThrow()
        .poolStats()
        .orElseThrow();
  }

  @ParameterizedTest
  @CsvSource({
    KRYO + ",7,NONE",
    KRYO + ",7,EXCEPTION",
    KRYO + ",200,ERROR",
    KRYO + ",7,INTERRUPT",
    KRYO + ",300,NONE",
    KRYO + ",300,EXCEPTION",
    KRYO + ",300,INTERRUPT",
    JAVA + ",7,NONE",
    JAVA + ",200,EXCEPTION",
    JAVA + ",7,INTERRUPT"
  })
  void noStreamOfACodecStaysOpen(String serializer, int partitions, End end) {
    SparkConf conf = conf(serializer).set("spark.memory.fraction", "0.01"); // so that it spills
    try (JavaSparkContext context = new JavaSparkContext(conf)) {
      if (end == End.NONE) {
        assertEquals(RECORDS, shuffled(context, partitions, end).count());
      } else {
        assertThrows(Exception.class, () -> shuffled(context, partitions, end).count());
        assertEquals(0, pool().memory().leasedBytes());
      }
      assertTrue(CountingCodec.OPENED.get() > 0, "the codec is not used");
      assertEquals(0, CountingCodec.OPEN.get());
    }
  }

  /** Kryo's stream keeps what closing the codec throws to itself, with Spark's writers too. */
  @ParameterizedTest
  @CsvSource({KRYO + ",300", JAVA + ",7"})
  void noneDoesWhereTheyDoNotClose(String serializer, int partitions) {
    SparkConf conf = conf(serializer).set(CountingCodec.FAILS_TO_CLOSE, "true");
    try (JavaSparkContext context = new JavaSparkContext(conf)) {
      Exception failed =
          assertThrows(Exception.class, () -> shuffled(context, partitions, End.NONE).count());
      assertTrue(failed.getMessage().contains("a codec that does not close"), failed.getMessage());
      assertEquals(0, CountingCodec.OPEN.get());
      Exception before =
          assertThrows(Exception.class, () -> shuffled(context, partitions, End.EXCEPTION).count());
      assertTrue(before.getMessage().contains("expected by this test"), before.getMessage());
      assertEquals(0, CountingCodec.OPEN.get());
    }
  }

  @ParameterizedTest
  @CsvSource({KRYO + ",7", KRYO + ",300", JAVA + ",7"})
  void noneDoesWhereTheFourthDoesNotOpen(String serializer, int partitions) {
    SparkConf conf = conf(serializer).set(CountingCodec.FAILS_TO_OPEN, "4");
    try (JavaSparkContext context = new JavaSparkContext(conf)) {
      Exception failed =
          assertThrows(Exception.class, () -> shuffled(context, partitions, End.NONE).count());
      assertTrue(failed.getMessage().contains("a codec that does not open"), failed.getMessage());
      assertEquals(0, CountingCodec.OPEN.get());
    }
  }

  /** A serializer that is closed after a failure writes again; Java's does so at once. */
  @ParameterizedTest
  @ValueSource(ints = {7, 300})
  void aPoolThatIsFullIsWhatTheUserHearsOf(int partitions) throws IOException {
    String serializer = partitions > 200 ? KRYO : JAVA;
    SparkConf conf =
        conf(serializer)
            .set("spark.memory.fraction", "0.01")
            .set("spark.sluice.pool.capacity", "1m")
            .set("spark.local.dir", pools.resolve("local").toString());
    try (JavaSparkContext context = new JavaSparkContext(conf)) {
      for (File directory : SparkEnv.get().blockManager().diskBlockManager().localDirs()) {
        Files.createFile(directory.toPath().resolve("sluice-overflow")); // none can be made
      }
      Exception failed =
          assertThrows(Exception.class, () -> shuffled(context, partitions, End.NONE).count());
      assertTrue(failed.getMessage().contains("the spill store is full: "), failed.getMessage());
      assertEquals(0, CountingCodec.OPEN.get());
    }
  }
}
