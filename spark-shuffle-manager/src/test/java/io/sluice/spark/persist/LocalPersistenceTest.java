package io.sluice.spark.persist;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.sluice.spark.ShuffledRecords;
import io.sluice.spark.SluicePlugin;
import io.sluice.spill.store.StoreStats.TierStats;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.apache.spark.SparkConf;
import org.apache.spark.SparkEnv;
import org.apache.spark.api.java.JavaRDD;
import org.apache.spark.api.java.JavaSparkContext;
import org.apache.spark.api.java.StorageLevels;
import org.apache.spark.storage.DiskStore;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;

/** The plugin's persistence in a local Spark: the driver is the only executor. */
@ExtendWith(ShuffledRecords.class)
class LocalPersistenceTest {
  private static final List<Integer> NUMBERS = IntStream.range(0, 10_000).boxed().toList();

  @TempDir private Path pools;

  private SparkConf conf() {
    return new SparkConf(false)
        .setMaster("local[2]")
        .setAppName("LocalPersistenceTest")
        .set(ShuffledRecords.SETTING, ShuffledRecords.class.getName())
        .set("spark.log.level", "WARN")
        .set("spark.ui.enabled", "false")
        .set("spark.driver.host", "127.0.0.1")
        .set("spark.driver.bindAddress", "127.0.0.1")
        .set("spark.shuffle.manager", "sort")
        .set("spark.plugins", SluicePlugin.class.getName())
        .set("spark.sluice.persistence.enabled", "true")
        .set("spark.sluice.persistence.capacity", "32m")
        .set("spark.sluice.pool.segmentSize", "16m")
        .set("spark.sluice.pool.dir", pools.toString());
  }

  private static SluiceDiskStore store() {
    return assertInstanceOf(SluiceDiskStore.class, SparkEnv.get().blockManager().diskStore());
  }

  private static Object gauge(String name) {
    return SparkEnv.get()
        .metricsSystem()
        .getSourcesByName("plugin." + SluicePlugin.class.getName())
        .head()
        .metricRegistry()
        .getGauges()
        .get(name)
        .getValue();
  }

  @Test
  void keepsBlocksInThePoolUntilTheyAreDropped() throws IOException {
    try (JavaSparkContext context = new JavaSparkContext(conf())) {
      JavaRDD<Integer> kept = context.parallelize(NUMBERS, 3).persist(StorageLevels.DISK_ONLY);
      assertEquals(NUMBERS, kept.collect());
      assertEquals(NUMBERS, kept.collect());
      assertEquals(3, store().blockCount());
      assertEquals(3, gauge("persisted.blocks"));
      assertTrue((Long) gauge("persisted.usedBytes") > 0);
      kept.unpersist(true);
      assertEquals(0, store().blockCount());
      assertEquals(0, store().stats().map(TierStats::usedBytes).orElseThrow());
    }
    try (Stream<Path> files = Files.walk(pools)) {
      assertEquals(List.of(), files.filter(file -> file.toString().endsWith(".lock")).toList());
    }
  }

  @Test
  void leavesAStoreThatItDoesNotKnowInItsPlaceAndCountsIt() throws IOException {
    try (JavaSparkContext context = new JavaSparkContext(conf())) {
      DiskStore present = store();
      try (Persistence second = Persistence.start(context.env()).orElseThrow()) {
        assertTrue(second.store().isEmpty());
        assertEquals(
            Map.of(
                SluiceDiskStore.class.getName() + " has replaced Spark's disk store already", 1L),
            second.fallbacks());
        assertSame(present, SparkEnv.get().blockManager().diskStore());
      }
    }
  }

  @Test
  void isNotThereUnlessAskedFor() {
    SparkConf conf = conf().set("spark.sluice.persistence.enabled", "false");
    try (JavaSparkContext context = new JavaSparkContext(conf)) {
      assertEquals(3, context.parallelize(List.of(1, 2, 3)).count());
      assertSame(DiskStore.class, SparkEnv.get().blockManager().diskStore().getClass());
    }
  }
}
