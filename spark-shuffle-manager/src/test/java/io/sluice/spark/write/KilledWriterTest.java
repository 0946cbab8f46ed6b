package io.sluice.spark.write;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.sluice.node.service.NodeService;
import io.sluice.node.service.ServiceContext;
import io.sluice.node.service.ServiceDirectories;
import io.sluice.node.socket.ServiceFile;
import io.sluice.rdma.TransportChooser;
import io.sluice.rdma.memory.OffHeap;
import io.sluice.rdma.testing.Await;
import io.sluice.rdma.testing.TestSeed;
import io.sluice.spark.PoolShuffleManager;
import io.sluice.spark.ShuffledRecords;
import io.sluice.spark.SluiceShuffleManager;
import io.sluice.spill.segment.PoolVisibility;
import io.sluice.spill.store.OpenFiles;
import io.sluice.spill.store.StoreStats;
import java.io.IOException;
import java.net.InetAddress;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Predicate;
import java.util.stream.IntStream;
import org.apache.spark.HashPartitioner;
import org.apache.spark.SparkConf;
import org.apache.spark.SparkEnv;
import org.apache.spark.TaskContext;
import org.apache.spark.api.java.JavaSparkContext;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import scala.Tuple2;

/**
 * Map tasks that Spark kills at any record, while they write their last bytes, or while they
 * commit. The next attempt gives every record, and nothing that the killed tasks held stays.
 */
@ExtendWith(ShuffledRecords.class)
@Tag("slow")
class KilledWriterTest {
  private static final int KILLS = Kill.values().length;
  private static final int ATTEMPTS = 4 * KILLS; // each twice at the last record, and before it
  private static final int CAMPAIGN_ATTEMPTS = 60;
  private static final int REMOVED_AT_ONCE = 10; // of which some lie on disk
  private static final int RECORDS = 60;
  private static final int RECORD_BYTES = 20_000;
  private static final String OF_THE_DISK_TIER = "sluice-(device |disk |pool-filler).*";
  private static final String OF_READS = "sluice-tcp-(deadlines|read-[0-7])";
  private static final int MOST_OF_READS = 9;

  /** Attempts of tasks that are to be killed. */
  private static final BlockingQueue<Long> DOOMED = new LinkedBlockingQueue<>();

  @TempDir private Path base;

  /** How a task ends that is at its last record. */
  private enum Kill {
    /** Spark has killed it when it goes on. */
    DONE,
    /** Spark kills it while it goes on, or not before it has ended. */
    ASKED,
    /** It is interrupted and nobody says why. */
    FLAG;

    void at() {
      if (this == FLAG) {
        Thread.currentThread().interrupt();
        return;
      }
      DOOMED.add(TaskContext.get().taskAttemptId());
      while (this == DONE && !Thread.currentThread().isInterrupted()) {
        LockSupport.park();
      }
    }
  }

  @BeforeEach
  void reset() {
    CountingCodec.OPEN.set(0);
    DOOMED.clear();
  }

  private SparkConf conf() {
    return new SparkConf(false)
        .setMaster("local[1,2]") // the second attempt is not killed
        .setAppName("KilledWriterTest")
        .set(ShuffledRecords.SETTING, ShuffledRecords.class.getName())
        .set("spark.ui.enabled", "false")
        .set("spark.driver.host", "127.0.0.1")
        .set("spark.driver.bindAddress", "127.0.0.1")
        .set("spark.cleaner.referenceTracking", "false")
        .set("spark.memory.fraction", "0.01") // so that it spills
        .set("spark.unsafe.exceptionOnMemoryLeak", "true")
        .set("spark.broadcast.compress", "false") // shuffles alone use the codec
        .set("spark.serializer", "org.apache.spark.serializer.KryoSerializer")
        .set("spark.io.compression.codec", CountingCodec.class.getName())
        .set("spark.shuffle.manager", SluiceShuffleManager.class.getName())
        .set("spark.sluice.fallback.policy", "never")
        .set("spark.sluice.pool.dir", base.toString())
        .set("spark.sluice.pool.capacity", "8m")
        .set("spark.sluice.pool.segmentSize", "1m");
  }

  private NodeService service() throws IOException {
    Path directory = base.resolve("service");
    NodeService started =
        NodeService.start(
            ServiceContext.at(ServiceDirectories.in(directory, PoolVisibility.ANNOUNCED), 8 << 20)
                .segments(1 << 20)
                .overflow(List.of(base.resolve("overflow")), 0)
                .transport(TransportChooser.AUTO)
                .listen(InetAddress.getLoopbackAddress(), 0));
    ServiceFile.write(directory, started.metadata().address().at(""));
    return started;
  }

  private static long shuffled(JavaSparkContext context, int partitions, Kill kill, int step) {
    return context
        .parallelize(IntStream.range(0, RECORDS).boxed().toList(), 1)
        .mapToPair(
            i -> {
              if (i == step && TaskContext.get().attemptNumber() == 0) {
                kill.at();
              }
              byte[] bytes = new byte[RECORD_BYTES];
              new Random(i).nextBytes(bytes);
              return new Tuple2<>(i, bytes);
            })
        .partitionBy(new HashPartitioner(partitions))
        .values()
        .coalesce(2) // a task for each partition would take most of the time
        .map(bytes -> bytes.length)
        .count();
  }

  @ParameterizedTest
  @CsvSource({"false,7", "false,300", "true,7", "true,300"})
  @Timeout(120)
  void theNextAttemptSucceedsAndNothingStays(boolean ofNode, int partitions) throws Exception {
    killAttempts(ofNode, partitions, ATTEMPTS);
  }

  @ParameterizedTest
  @CsvSource({"false,7", "false,300", "true,7", "true,300"})
  @Tag("campaign")
  @Timeout(600)
  void soItDoesAfterManyMore(boolean ofNode, int partitions) throws Exception {
    killAttempts(ofNode, partitions, CAMPAIGN_ATTEMPTS);
  }

  private void killAttempts(boolean ofNode, int partitions, int attempts) throws Exception {
    Random random = TestSeed.random();
    long allocatedBefore = OffHeap.allocatedBytes();
    long mappedBefore = OffHeap.mappedBytes();
    try (NodeService service = ofNode ? service() : null) {
      SparkConf conf = conf();
      if (ofNode) {
        conf.set("spark.sluice.service", base.resolve("service").toString());
      }
      try (JavaSparkContext context = new JavaSparkContext(conf)) {
        Thread killer = new Thread(() -> kill(context), "killer");
        killer.start();
        try {
          assertEquals(RECORDS, shuffled(context, partitions, Kill.FLAG, RECORDS));
          long threadsBefore = threads();
          for (int i = 0; i < attempts; i++) {
            Kill kill = Kill.values()[i % KILLS];
            int step = i / KILLS % 2 == 0 ? RECORDS - 1 : random.nextInt(RECORDS);
            assertEquals(RECORDS, shuffled(context, partitions, kill, step), kill + " at " + step);
            if (i % REMOVED_AT_ONCE == 0) {
              remove(context, i);
            }
          }
          PoolShuffleManager manager =
              PoolShuffleManager.behind(SparkEnv.get().shuffleManager()).orElseThrow();
          assertEquals(Map.of(), manager.counters().fallbacks());
          Await.until("all tasks have ended", () -> executionMemoryBytes() == 0);
          assertEquals(0, CountingCodec.OPEN.get());
          remove(context, attempts);
          Await.until("nothing is left", () -> isEmpty(ofNode ? service.store().stats() : stats()));
          Await.until("no thread is left", () -> threads() <= threadsBefore);
          Await.until(
              "no read of a task's stays",
              () -> threads(name -> name.matches(OF_READS)) <= MOST_OF_READS);
        } finally {
          killer.interrupt();
          killer.join();
        }
      }
    }
    assertEquals(0, OpenFiles.below(base));
    assertEquals(allocatedBefore, OffHeap.allocatedBytes());
    assertEquals(mappedBefore, OffHeap.mappedBytes());
  }

  private static void remove(JavaSparkContext context, int lastShuffle) {
    for (int id = Math.max(0, lastShuffle - REMOVED_AT_ONCE); id <= lastShuffle; id++) {
      context.sc().shuffleDriverComponents().removeShuffle(id, true);
    }
  }

  private static void kill(JavaSparkContext context) {
    try {
      while (true) {
        context.sc().killTaskAttempt(DOOMED.take(), true, "expected by this test");
      }
    } catch (InterruptedException e) {
      assertTrue(DOOMED.isEmpty());
    }
  }

  private static StoreStats stats() {
    return PoolShuffleManager.behind(SparkEnv.get().shuffleManager())
        .orElseThrow()
        .poolStats()
        .orElseThrow();
  }

  private static boolean isEmpty(StoreStats pool) {
    return pool.outputs() == 0
        && pool.memory().leasedBytes() == 0
        && pool.memory().usedBytes() == 0
        && pool.disk().usedBytes() == 0;
  }

  private static long executionMemoryBytes() {
    return SparkEnv.get().memoryManager().executionMemoryUsed();
  }

  /** But for those of the disk tier, which stay for a while, and those of an endpoint's reads. */
  private static long threads() {
    return threads(
        name ->
            name.startsWith("sluice")
                && !name.matches(OF_THE_DISK_TIER)
                && !name.matches(OF_READS));
  }

  private static long threads(Predicate<String> named) {
    return Thread.getAllStackTraces().keySet().stream().map(Thread::getName).filter(named).count();
  }
}
