package io.sluice.spark;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicInteger;
import org.apache.spark.SparkConf;
import org.apache.spark.SparkEnv;
import org.apache.spark.api.java.JavaSparkContext;
import org.apache.spark.shuffle.api.ShuffleDataIO;
import org.apache.spark.shuffle.api.ShuffleDriverComponents;
import org.apache.spark.shuffle.api.ShuffleExecutorComponents;
import org.apache.spark.shuffle.api.ShuffleMapOutputWriter;
import org.apache.spark.shuffle.api.SingleSpillShuffleMapOutputWriter;
import org.apache.spark.shuffle.sort.io.LocalDiskShuffleDataIO;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;
import scala.Tuple2;

/**
 * An application that stores its map outputs in a way of its own: that is asked for all of them.
 */
@ExtendWith(ShuffledRecords.class)
class UsersDataIOTest {
  private static final int MAPS = 3;
  private static final AtomicInteger INITIALIZED = new AtomicInteger();
  private static final AtomicInteger WRITERS = new AtomicInteger();

  @TempDir private Path pools;

  @Test
  void isUsedWholeAndSluiceNotAtAll() {
    SparkConf conf =
        new SparkConf(false)
            .setMaster("local[2]")
            .setAppName("UsersDataIOTest")
            .set(ShuffledRecords.SETTING, ShuffledRecords.class.getName())
            .set("spark.ui.enabled", "false")
            .set("spark.driver.host", "127.0.0.1")
            .set("spark.driver.bindAddress", "127.0.0.1")
            .set("spark.shuffle.manager", SluiceShuffleManager.class.getName())
            .set("spark.shuffle.sort.io.plugin.class", UsersDataIO.class.getName())
            .set("spark.sluice.pool.dir", pools.toString());
    try (JavaSparkContext context = new JavaSparkContext(conf)) {
      long keys =
          context
              .parallelize(List.of(1, 2, 3, 4, 5, 6), MAPS)
              .mapToPair(i -> new Tuple2<>(i % 2, i))
              .groupByKey(2)
              .count();
      assertEquals(2, keys);
      PoolShuffleManager manager =
          PoolShuffleManager.behind(SparkEnv.get().shuffleManager()).orElseThrow();
      assertEquals(1, INITIALIZED.get());
      assertEquals(MAPS, WRITERS.get());
      assertTrue(manager.poolStats().isEmpty(), "a pool was opened");
      assertEquals(Map.of(manager.declined().orElseThrow(), 1L), manager.counters().fallbacks());
    }
  }

  /** Spark's own, counted. */
  public static final class UsersDataIO implements ShuffleDataIO {
    private final LocalDiskShuffleDataIO files;

    /** Called by Spark. */
    public UsersDataIO(SparkConf conf) {
      files = new LocalDiskShuffleDataIO(conf);
    }

    @Override
    public ShuffleExecutorComponents executor() {
      return new Counted(files.executor());
    }

    @Override
    public ShuffleDriverComponents driver() {
      return files.driver();
    }
  }

  private record Counted(ShuffleExecutorComponents files) implements ShuffleExecutorComponents {
    @Override
    public void initializeExecutor(String appId, String execId, Map<String, String> extra) {
      INITIALIZED.incrementAndGet();
      files.initializeExecutor(appId, execId, extra);
    }

    @Override
    public ShuffleMapOutputWriter createMapOutputWriter(
        int shuffleId, long mapTaskId, int numPartitions) throws java.io.IOException {
      WRITERS.incrementAndGet();
      return files.createMapOutputWriter(shuffleId, mapTaskId, numPartitions);
    }

    @Override
    public Optional<SingleSpillShuffleMapOutputWriter> createSingleFileMapOutputWriter(
        int shuffleId, long mapId) {
      return Optional.empty();
    }
  }
}
