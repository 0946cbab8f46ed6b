package io.sluice.spark;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.sluice.spill.cipher.ShuffleKey.CipherStats;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.apache.spark.SparkConf;
import org.apache.spark.SparkEnv;
import org.apache.spark.api.java.JavaSparkContext;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import scala.Tuple2;

/** A local Spark that encrypts its traffic, with a secret that Spark draws. */
@ExtendWith(ShuffledRecords.class)
@Tag("slow")
class EncryptedShuffleTest {
  private static final String CANARY = "a canary, in a value";
  private static final int RECORDS = 2_000;

  @TempDir private Path pools;

  private SparkConf conf() {
    return new SparkConf(false)
        .setMaster("local[2]")
        .setAppName("EncryptedShuffleTest")
        .set(ShuffledRecords.SETTING, ShuffledRecords.class.getName())
        .set("spark.ui.enabled", "false")
        .set("spark.cleaner.referenceTracking", "false")
        .set("spark.driver.host", "127.0.0.1")
        .set("spark.driver.bindAddress", "127.0.0.1")
        .set("spark.shuffle.compress", "false") // or it would not be found as it is
        .set("spark.serializer", "org.apache.spark.serializer.KryoSerializer")
        .set("spark.shuffle.manager", SluiceShuffleManager.class.getName())
        .set("spark.sluice.pool.dir", pools.toString())
        .set("spark.sluice.pool.capacity", "64m")
        .set("spark.sluice.pool.segmentSize", "16m");
  }

  /** Runs a job, and counts the canaries in the pool that it leaves; what was encrypted. */
  private CipherStats shuffle(SparkConf conf, int partitions, boolean found) throws IOException {
    try (JavaSparkContext context = new JavaSparkContext(conf)) {
      List<Integer> numbers = IntStream.range(0, RECORDS).boxed().toList();
      Map<Integer, String> joined =
          context
              .parallelize(numbers, 3)
              .mapToPair(i -> new Tuple2<>(i % 100, CANARY + " " + i))
              .groupByKey(partitions)
              .mapValues(values -> String.join(",", values))
              .collectAsMap();
      assertEquals(100, joined.size());
      for (int i : numbers) {
        assertTrue(joined.get(i % 100).contains(CANARY + " " + i), "record " + i);
      }
      assertEquals(found, isInPools(), "the canary is in a pool");
      PoolShuffleManager manager =
          PoolShuffleManager.behind(SparkEnv.get().shuffleManager()).orElseThrow();
      assertEquals(Map.of(), manager.counters().fallbacks());
      return manager.counters().cipher();
    }
  }

  private boolean isInPools() throws IOException {
    try (Stream<Path> files = Files.walk(pools)) {
      for (Path file : files.filter(Files::isRegularFile).toList()) {
        if (new String(Files.readAllBytes(file), StandardCharsets.ISO_8859_1).contains(CANARY)) {
          return true;
        }
      }
    }
    return false;
  }

  /** With few partitions, and with more than have a stream each. */
  @ParameterizedTest
  @CsvSource({
    "spark.network.crypto.enabled, 7",
    "spark.network.crypto.enabled, 300",
    "spark.authenticate.enableSaslEncryption, 7"
  })
  void noPlaintextReachesThePool(String setting, int partitions) throws IOException {
    SparkConf conf = conf().set("spark.authenticate", "true").set(setting, "true");
    CipherStats cipher = shuffle(conf, partitions, false);
    assertTrue(cipher.encryptedBytes() > RECORDS * CANARY.length(), "encrypted");
    assertEquals(cipher.encryptedBytes(), cipher.decryptedBytes());
  }

  @Test
  void withoutItThePlaintextIsThere() throws IOException {
    assertEquals(0, shuffle(conf(), 7, true).encryptedBytes());
  }
}
