package io.sluice.spark;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.sluice.spark.SluiceShuffleManager.SluiceShuffleHandle;
import io.sluice.spark.entry.OldJava;
import io.sluice.spark.service.SluiceDataIO;
import java.util.List;
import java.util.stream.IntStream;
import org.apache.spark.ShuffleDependency;
import org.apache.spark.SparkConf;
import org.apache.spark.SparkEnv;
import org.apache.spark.TaskContext;
import org.apache.spark.api.java.JavaSparkContext;
import org.apache.spark.shuffle.ShuffleHandle;
import org.apache.spark.shuffle.ShuffleReadMetricsReporter;
import org.apache.spark.shuffle.ShuffleReader;
import org.apache.spark.shuffle.ShuffleWriteMetricsReporter;
import org.apache.spark.shuffle.ShuffleWriter;
import org.apache.spark.shuffle.sort.SortShuffleManager;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import scala.Tuple2;

/** A Java that is too old for Sluice, on the driver and on an executor: the shuffle is Spark's. */
@ExtendWith(ShuffledRecords.class)
class OlderJavaTest {
  private static final List<Integer> NUMBERS = IntStream.range(0, 1_000).boxed().toList();

  /** Every name that may stand in a file of settings. */
  private static SparkConf conf() {
    return new SparkConf(false)
        .setMaster("local[2]")
        .setAppName("OlderJavaTest")
        .set(ShuffledRecords.SETTING, ShuffledRecords.class.getName())
        .set("spark.ui.enabled", "false")
        .set("spark.driver.host", "127.0.0.1")
        .set("spark.driver.bindAddress", "127.0.0.1")
        .set("spark.shuffle.manager", SluiceShuffleManager.class.getName())
        .set("spark.shuffle.sort.io.plugin.class", SluiceDataIO.class.getName())
        .set("spark.plugins", SluicePlugin.class.getName())
        .set("spark.sluice.persistence.enabled", "true");
  }

  private static long sumOfGroups(JavaSparkContext context) {
    return context
        .parallelize(NUMBERS, 3)
        .mapToPair(i -> new Tuple2<>(i % 7, (long) i))
        .reduceByKey(Long::sum, 4)
        .values()
        .reduce(Long::sum);
  }

  private static long sum() {
    return NUMBERS.stream().mapToLong(i -> i).sum();
  }

  @Test
  void everySettingIsTakenAndOneLineSaysThatTheShuffleIsSparks() {
    try (LogLines log = new LogLines(StockShuffleManager.class);
        LogLines ofPlugin = new LogLines(SluicePlugin.class);
        OldJava old = new OldJava();
        JavaSparkContext context = new JavaSparkContext(conf())) {
      Class<?> manager = SparkEnv.get().shuffleManager().getClass();
      assertEquals(SluiceShuffleManager.class.getName(), manager.getName());
      assertEquals(old, manager.getClassLoader());
      assertEquals(sum(), sumOfGroups(context));
      List<String> lines = log.with("Java 17");
      assertEquals(1, lines.size(), lines.toString());
      assertTrue(
          lines.get(0).startsWith("Sluice leaves this application to Spark: it needs Java 17"),
          lines.get(0));
      // The driver and its only executor are one process here.
      assertEquals(2, ofPlugin.with("Sluice's plugin does nothing here: it needs Java 17").size());
    }
  }

  @Test
  void whereSparkMayNotTakeOverTheShuffleFailsAndSaysWhy() {
    SparkConf conf = conf().set("spark.sluice.fallback.policy", "never");
    try (OldJava old = new OldJava();
        JavaSparkContext context = new JavaSparkContext(conf)) {
      assertEquals(old, SparkEnv.get().shuffleManager().getClass().getClassLoader());
      Exception e = assertThrows(IllegalStateException.class, () -> sumOfGroups(context));
      assertTrue(
          e.getMessage().startsWith("spark.sluice.fallback.policy is never, and it needs Java 17"),
          e.getMessage());
    }
  }

  /** Gives shuffles to Sluice as a driver with Java 17 does, to executors that are older. */
  public static final class NewerDriver extends SortShuffleManager {
    private final SortShuffleManager older;

    /** Called by Spark. */
    public NewerDriver(SparkConf conf) {
      super(conf);
      older = new StockShuffleManager(conf, false);
    }

    @Override
    public <K, V, C> ShuffleHandle registerShuffle(
        int shuffleId, ShuffleDependency<K, V, C> dependency) {
      return new SluiceShuffleHandle<>(shuffleId, dependency);
    }

    @Override
    public <K, V> ShuffleWriter<K, V> getWriter(
        ShuffleHandle handle,
        long mapId,
        TaskContext context,
        ShuffleWriteMetricsReporter metrics) {
      return older.getWriter(handle, mapId, context, metrics);
    }

    @Override
    public <K, C> ShuffleReader<K, C> getReader(
        ShuffleHandle handle,
        int startMapIndex,
        int endMapIndex,
        int startPartition,
        int endPartition,
        TaskContext context,
        ShuffleReadMetricsReporter metrics) {
      return older.getReader(
          handle, startMapIndex, endMapIndex, startPartition, endPartition, context, metrics);
    }
  }

  @Test
  void anExecutorWritesFilesOfAShuffleThatANewerDriverGaveToSluice() {
    SparkConf conf =
        conf()
            .remove("spark.shuffle.sort.io.plugin.class")
            .remove("spark.plugins")
            .set("spark.shuffle.manager", NewerDriver.class.getName());
    try (LogLines log = new LogLines(StockShuffleManager.class);
        JavaSparkContext context = new JavaSparkContext(conf)) {
      assertEquals(sum(), sumOfGroups(context));
      assertEquals(1, log.with("This executor has no Sluice pool").size());
    }
  }
}
