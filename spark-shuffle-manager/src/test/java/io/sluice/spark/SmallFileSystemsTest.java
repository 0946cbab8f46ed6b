package io.sluice.spark;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.sluice.spill.segment.Owner;
import io.sluice.spill.store.StoreStats;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
import org.apache.spark.SparkConf;
import org.apache.spark.SparkEnv;
import org.apache.spark.api.java.JavaSparkContext;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import scala.Tuple2;

/** Executors with small or read-only file systems, as in a container. */
class SmallFileSystemsTest {
  private static final int RECORDS = 8_000;
  private static final int RECORD_BYTES = 1_000;

  @TempDir private Path base;
  private final Deque<Path> mounted = new ArrayDeque<>();

  private Path tmpfs(String name, String options) throws IOException, InterruptedException {
    Path directory = Files.createDirectory(base.resolve(name));
    Process mount =
        new ProcessBuilder("mount", "-t", "tmpfs", "-o", options, "tmpfs", directory.toString())
            .redirectErrorStream(true)
            .start();
    String said = new String(mount.getInputStream().readAllBytes());
    Assumptions.assumeTrue(mount.waitFor() == 0, "root alone mounts file systems: " + said);
    mounted.push(directory);
    return directory;
  }

  @AfterEach
  void unmount() throws IOException, InterruptedException {
    for (Path directory : mounted) {
      new ProcessBuilder("umount", directory.toString()).inheritIO().start().waitFor();
    }
  }

  private SparkConf conf(Path poolDirectory, Path localDirectory) {
    return new SparkConf(false)
        .setMaster("local[2]")
        .setAppName("SmallFileSystemsTest")
        .set("spark.ui.enabled", "false")
        .set("spark.cleaner.referenceTracking", "false")
        .set("spark.driver.host", "127.0.0.1")
        .set("spark.driver.bindAddress", "127.0.0.1")
        .set("spark.shuffle.compress", "false")
        .set("spark.shuffle.manager", SluiceShuffleManager.class.getName())
        .set("spark.sluice.pool.dir", poolDirectory.toString())
        .set("spark.local.dir", localDirectory.toString());
  }

  private static PoolShuffleManager manager() {
    return PoolShuffleManager.behind(SparkEnv.get().shuffleManager()).orElseThrow();
  }

  /** Shuffles some bytes, and finds all of them. */
  private static void shuffle(JavaSparkContext context, int records) {
    long bytes =
        context
            .parallelize(IntStream.range(0, records).boxed().toList(), 4)
            .mapToPair(i -> new Tuple2<>(i, new byte[RECORD_BYTES]))
            .partitionBy(new org.apache.spark.HashPartitioner(4))
            .values()
            .map(value -> (long) value.length)
            .reduce(Long::sum);
    assertEquals((long) records * RECORD_BYTES, bytes);
  }

  @Test
  void containersSharedMemoryHoldsSegments() throws Exception {
    Path shm = tmpfs("shm", "size=64m");
    try (JavaSparkContext context =
        new JavaSparkContext(conf(shm, Files.createDirectory(base.resolve("local"))))) {
      shuffle(context, RECORDS);
      StoreStats stats = manager().poolStats().orElseThrow();
      assertTrue(stats.memory().usedBytes() >= RECORDS * RECORD_BYTES, stats.toString());
      assertEquals(0, stats.disk().createdBytes());
      for (int i = 0; i < 12; i++) { // more than it holds
        shuffle(context, RECORDS);
      }
      stats = manager().poolStats().orElseThrow();
      assertTrue(stats.memory().createdBytes() >= 45 << 20, stats.toString());
      assertTrue(stats.disk().usedBytes() > 0, stats.toString());
      assertEquals(0, stats.segmentFailures());
      assertEquals(Map.of(), manager().counters().fallbacks());
    }
  }

  /** Nothing of it is kept free, as a node's service would. */
  @Test
  void aSmallLocalDirectoryTakesWhatHasNoRoomInMemory() throws Exception {
    Path shm = tmpfs("shm", "size=8m");
    Path local = tmpfs("local", "size=256m");
    SparkConf conf = conf(shm, local).set("spark.sluice.pool.capacity", "7m");
    try (JavaSparkContext context = new JavaSparkContext(conf)) {
      for (int i = 0; i < 3; i++) {
        shuffle(context, RECORDS);
      }
      StoreStats stats = manager().poolStats().orElseThrow();
      assertTrue(stats.disk().usedBytes() > 0, stats.toString());
      assertEquals(Map.of(), manager().counters().fallbacks());
    }
  }

  /** Not even what a task leases first; Spark's own writers use the last byte. */
  @Test
  void aPoolWithoutRoomLeavesTheWritingToSpark() throws Exception {
    Path shm = tmpfs("shm", "size=1m");
    Path local = tmpfs("local", "size=3m");
    SparkConf conf = conf(shm, local).set("spark.sluice.pool.capacity", "0b");
    try (JavaSparkContext context = new JavaSparkContext(conf)) {
      shuffle(context, 400);
      assertEquals(
          Map.of("an executor whose pool has no room", 4L), manager().counters().fallbacks());
      assertEquals(0, manager().poolStats().orElseThrow().outputs());
    }
  }

  @Test
  void aPlaceThatCannotBeWrittenToIsSaidInOneLine() throws Exception {
    Path readOnly = tmpfs("ro", "size=64m,ro");
    assertLeftToSpark(readOnly, "Read-only file system");
    assertLeftToSpark(Path.of("/dev/sluice-missing"), "/dev/sluice-missing");
    Path foreign = Files.createDirectory(base.resolve("foreign"));
    Files.createDirectory(
        foreign.resolve("sluice-spark-" + Owner.nameOfThisProcess()),
        PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rwx------")));
    new ProcessBuilder("chown", "-R", "12345", foreign.toString()).start().waitFor();
    assertLeftToSpark(foreign, "belongs to user id 12345");
  }

  private void assertLeftToSpark(Path poolDirectory, String reason) {
    try (LogLines log = new LogLines(ExecutorSide.class);
        JavaSparkContext context = new JavaSparkContext(conf(poolDirectory, base))) {
      shuffle(context, 400);
      assertEquals(
          List.of("an executor without a pool"),
          List.copyOf(manager().counters().fallbacks().keySet()));
      assertEquals(1, log.with("has no Sluice pool").size());
      assertEquals(1, log.with(reason).size());
    }
  }
}
